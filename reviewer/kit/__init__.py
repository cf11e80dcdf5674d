"""What rules share: small engines over syntax, and tables."""
