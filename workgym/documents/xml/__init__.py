"""XML data."""
