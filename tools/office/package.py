# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Office files as packages of parts: parts are changed one by one, all others stay as they are."""

import io
import posixpath
import zipfile

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
DAY_ONE = "2026-01-01T00:00:00Z"
"""The date in new files: the hour of the work would make each repetition of it another file."""


class Package:
    """The parts of an office file. ``tree`` gives one to change; ``content`` is the file with all changes."""

    def __init__(self, source):
        from lxml import etree

        self.etree = etree
        self.archive = zipfile.ZipFile(source if isinstance(source, str) else io.BytesIO(source))
        self.order = [entry.filename for entry in self.archive.infolist() if not entry.is_dir()]
        self.trees, self.added = {}, {}

    def has(self, name):
        return name in self.order or name in self.added

    def tree(self, name):
        """The root of a part; what is changed in it is saved."""
        if name not in self.trees:
            self.trees[name] = self._parsed(self.added.get(name) or self.archive.read(name))
        return self.trees[name]

    def add(self, name, text, content_type):
        """A new part."""
        self.added[name] = text.encode()
        types = self.tree("[Content_Types].xml")
        self.etree.SubElement(types, f"{{{TYPES}}}Override", PartName=f"/{name}", ContentType=content_type)

    def remove(self, name):
        """Take a part away, and what its content type and others' relations say of it."""
        if name not in self.order:
            return
        self.order.remove(name)
        self.trees.pop(name, None)
        for entry in self.tree("[Content_Types].xml").findall(f"{{{TYPES}}}Override"):
            if entry.get("PartName") == f"/{name}":
                entry.getparent().remove(entry)
        for part in [each for each in self.order if each.endswith(".rels")]:
            for relation in self.tree(part):
                folder = posixpath.dirname(posixpath.dirname(part))
                if relation.get("TargetMode") != "External" and _resolved(folder, relation.get("Target")) == name:
                    relation.getparent().remove(relation)

    def relations(self, part):
        """Identity, kind and target of each relation of a part."""
        name = _relations_of(part)
        if not self.has(name):
            return []
        folder = posixpath.dirname(part)
        return [
            (each.get("Id"), each.get("Type").rpartition("/")[2], _resolved(folder, each.get("Target")))
            for each in self.tree(name)
            if each.get("TargetMode") != "External"
        ]

    def relate(self, part, kind, target):
        """A new relation from a part to another; its identity."""
        root = self.tree(_relations_of(part))
        known, number = {each.get("Id") for each in root}, 1
        while f"rId{number}" in known:
            number += 1
        found = posixpath.relpath(target, posixpath.dirname(part))
        self.etree.SubElement(
            root, f"{{{RELATIONS}}}Relationship", Id=f"rId{number}", Type=f"{OFFICE}/{kind}", Target=found
        )
        return f"rId{number}"

    def main(self):
        """The name of the main part: the workbook, the document, the presentation."""
        found = self.relations("")
        return next((target for _, kind, target in found if kind == "officeDocument"), None)

    def content(self):
        """The whole file. Parts that nobody changed are the bytes that they were."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for name in [*self.order, *self.added]:
                date = self.archive.getinfo(name).date_time if name in self.order else LONG_AGO
                _pack(made, name, self.data(name), date)
        return out.getvalue()

    def data(self, name):
        """A part as it is now."""
        was = self.added.get(name) or self.archive.read(name)
        if name not in self.trees or self._canonical(self.trees[name]) == self._canonical(self._parsed(was)):
            return was
        return self.etree.tostring(self.trees[name], xml_declaration=True, encoding="UTF-8", standalone=True)

    def _parsed(self, data):
        return self.etree.fromstring(data, self.etree.XMLParser(resolve_entities=False, no_network=True))

    def _canonical(self, root):
        return self.etree.tostring(root, method="c14n")


def normal(content, fresh=False):
    """The same file without the hours at which its parts were packed, and, of a fresh one, at which it was made."""
    package = Package(content)
    core = next((target for _, kind, target in package.relations("") if kind == "core-properties"), None)
    for stamp in package.tree(core) if core and fresh else ():
        if stamp.tag.endswith(("}created", "}modified")):
            stamp.text = DAY_ONE
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in package.order:
            data = package.data(name)
            # The data of a chart are a workbook, made with the chart.
            _pack(made, name, normal(data, fresh=True) if fresh and name.endswith(".xlsx") else data, LONG_AGO)
    return out.getvalue()


def _pack(archive, name, data, date):
    entry = zipfile.ZipInfo(name, date)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    archive.writestr(entry, data)


def _relations_of(part):
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _resolved(folder, target):
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
