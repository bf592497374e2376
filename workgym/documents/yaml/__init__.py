"""YAML, by its nodes and where they stand; no object is ever built from a tag."""
