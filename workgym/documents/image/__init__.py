"""Pictures: what they say about themselves, and their text by recognition (extra ``ocr``)."""
