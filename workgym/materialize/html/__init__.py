"""Writer of web pages."""
