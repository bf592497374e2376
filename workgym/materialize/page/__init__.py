"""Writers of pages: pdf, pictures, scans and charts on them."""
