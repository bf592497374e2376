"""Carriers from templates over units: one writer for each format, and an anchor for every printed value."""

from workgym.materialize.carrier import Rendered
from workgym.materialize.forms import slug
from workgym.materialize.rendering import modules, render, render_request
from workgym.materialize.scope import Scope

__all__ = ["Rendered", "Scope", "modules", "render", "render_request", "slug"]
