# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""The styles of a workbook: number formats and bold, added where they are missing; none that is there is changed."""

import copy

from .sheets import NS

DATE, TIME = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
FIRST_OWN = 164
"""The first number of a format that a file may define itself."""


class Styles:
    """The style part of a book, or nothing where it has none: then cells stay without a style."""

    def __init__(self, book):
        self.root, self.made = book.styles(), {}
        self.element = book.package.etree.SubElement
        self.etree = book.package.etree

    def code(self, style):
        """The number format of a style."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS

        formats = self.root.find(f"{NS}cellXfs") if self.root is not None else ()
        number = int(formats[style].get("numFmtId") or 0) if style < len(formats) else 0
        own = self.root.iter(f"{NS}numFmt") if self.root is not None else ()
        return next((each.get("formatCode") for each in own if each.get("numFmtId") == str(number)), None) or (
            BUILTIN_FORMATS.get(number, "General")
        )

    def shows_dates(self, style):
        from openpyxl.styles.numbers import is_date_format

        return bool(is_date_format(self.code(style)))

    def like(self, style, *, code=None, bold=False):
        """The index of a style that is like ``style`` but for its number format or weight."""
        if (style, code, bold) not in self.made:
            self.made[style, code, bold] = self._like(style, code, bold)
        return self.made[style, code, bold]

    def _like(self, style, code, bold):
        formats = self.root.find(f"{NS}cellXfs") if self.root is not None else None
        if formats is None or style >= len(formats):
            return style
        wanted = copy.deepcopy(formats[style])
        if code is not None:
            wanted.set("numFmtId", str(self._format(code)))
            wanted.set("applyNumberFormat", "1")
        if bold:
            wanted.set("fontId", str(self._bold(int(wanted.get("fontId") or 0))))
            wanted.set("applyFont", "1")
        same = self.etree.tostring(wanted, method="c14n", with_tail=False)
        for index, each in enumerate(formats):
            if self.etree.tostring(each, method="c14n", with_tail=False) == same:
                return index
        formats.append(wanted)
        formats.set("count", str(len(formats)))
        return len(formats) - 1

    def _format(self, code):
        from openpyxl.styles.numbers import BUILTIN_FORMATS

        for number, known in BUILTIN_FORMATS.items():
            if known == code:
                return number
        held = self.root.find(f"{NS}numFmts")
        if held is None:
            held = self.etree.Element(f"{NS}numFmts")
            self.root.insert(0, held)
        for each in held:
            if each.get("formatCode") == code:
                return int(each.get("numFmtId"))
        number = max([FIRST_OWN - 1, *(int(each.get("numFmtId")) for each in held)]) + 1
        self.element(held, f"{NS}numFmt", numFmtId=str(number), formatCode=code)
        held.set("count", str(len(held)))
        return number

    def _bold(self, font):
        fonts = self.root.find(f"{NS}fonts")
        if fonts[font].find(f"{NS}b") is not None:
            return font
        wanted = copy.deepcopy(fonts[font])
        wanted.insert(0, self.etree.Element(f"{NS}b"))
        same = self.etree.tostring(wanted, method="c14n", with_tail=False)
        for index, each in enumerate(fonts):
            if self.etree.tostring(each, method="c14n", with_tail=False) == same:
                return index
        fonts.append(wanted)
        fonts.set("count", str(len(fonts)))
        return len(fonts) - 1
