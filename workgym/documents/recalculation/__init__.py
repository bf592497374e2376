"""Recalculation of workbooks by up to three engines, and what each of them says."""
