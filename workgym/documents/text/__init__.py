"""Plain text, Markdown, logs and source code, line by line."""
