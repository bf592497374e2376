"""One reader for each format: ``(path, content) -> Document``; raises only :class:`workgym.errors.Unreadable`."""
