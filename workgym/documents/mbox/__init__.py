"""Mailboxes: files of mails."""
