"""One editor for each format: ``(path, content, targets) -> bytes``; raises only EditRefused and Unreadable."""
