"""Facts of the graph found in a deliverable, beside the entity that they are said of."""
