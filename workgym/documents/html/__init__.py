"""Web pages, read as browsers show them, and edited by the positions of their text."""
