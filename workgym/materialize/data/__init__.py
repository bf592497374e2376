"""Writers of data: tables, trees, calendars, contacts, databases, archives."""
