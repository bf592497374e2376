"""Text documents: reading, and editing in place."""
