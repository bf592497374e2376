"""Edited inputs: files that were given and are handed in again, filled in or extended where that was asked for."""
