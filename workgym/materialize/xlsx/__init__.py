"""Writer of workbooks."""
