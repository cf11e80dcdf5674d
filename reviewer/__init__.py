"""reviewer: reads patch series as posted, checks them, and writes a review."""

__version__ = "0.1.0"
