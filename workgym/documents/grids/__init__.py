"""Tables found in any document: their headings, rows, titles and notes."""
