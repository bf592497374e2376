"""Programs that run in the environments of other people's sandboxes, one each; ``sandbox_peers`` talks to them."""
