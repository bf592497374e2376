"""Mails: headers, text, its HTML alternative, and attachments as files of their own."""
