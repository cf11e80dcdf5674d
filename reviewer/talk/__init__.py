"""What people said of a series, where, and what became of it."""
