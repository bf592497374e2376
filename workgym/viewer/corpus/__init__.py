"""The page of ``workgym report``."""

from workgym.viewer.corpus.page import page

__all__ = ["page"]
