"""Rubric items scored by a licensed judge: what it sees, what it is asked, whether it may score."""
