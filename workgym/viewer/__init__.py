"""Pages and pictures for people."""

from workgym.viewer.graph import graph_svg

__all__ = ["graph_svg"]
