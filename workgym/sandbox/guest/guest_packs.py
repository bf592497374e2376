# mypy: ignore-errors
"""Packs as packages: their code exists as text only, and is compiled when a tool first needs it. Standard library only.

Compiling at the first call lets a sandbox start 10 ms earlier; what a tool's module imports comes with it.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec

KNOWN = {}
"""Packs that this process, or the one that it was forked from, was told of before; by the name that the host gave."""
_codes = {}


def known(pack):
    """A pack: what the host has sent, or what stands under the name that it has sent."""
    return KNOWN[pack] if isinstance(pack, str) else pack


def learn(pack, library):
    """Import a library, or for an empty name compile the modules of a pack."""
    if library:
        importlib.import_module(library)
        return
    for stem, text in pack["sources"].items():
        compiled(f"{package_name(pack['name'])}.{stem}", text)


def load(pack, tool):
    """The function of a tool. Raises whatever its modules raise."""
    package = package_name(pack["name"])
    if not any(isinstance(finder, Sources) and finder.package == package for finder in sys.meta_path):
        # Before the others, which would look through the folders of the path for it.
        sys.meta_path.insert(0, Sources(package, pack["sources"]))
    return getattr(importlib.import_module(f"{package}.{tool['module']}"), tool["name"])


def package_name(pack):
    return f"pack_{pack.replace('-', '_')}"


def compiled(module, text):
    """The code of a pack's module, made once in this process or in the one that it was forked from."""
    if (module, text) not in _codes:
        _codes[module, text] = compile(text, f"<{module}>", "exec")
    return _codes[module, text]


class Sources:
    """Finds and loads the modules of one pack."""

    def __init__(self, package, sources):
        self.package, self.sources = package, {f"{package}.{stem}": text for stem, text in sources.items()}

    def find_spec(self, name, path=None, target=None):
        if name == self.package or name in self.sources:
            return ModuleSpec(name, self, is_package=name == self.package)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compiled(module.__name__, self.sources.get(module.__name__, "")), module.__dict__)
