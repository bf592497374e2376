"""Programs that run in a sandbox, as text; nothing imports them."""
