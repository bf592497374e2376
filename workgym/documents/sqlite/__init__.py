"""Databases in a file."""
