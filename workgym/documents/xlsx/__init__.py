"""Workbooks: reading, and editing in place with all that hangs on a row."""
