"""Programs that run inside sandboxes; they are sent there as text."""
