"""Writers of mails and mailboxes."""
