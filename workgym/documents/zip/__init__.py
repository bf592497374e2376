"""Archives, and the files in them."""
