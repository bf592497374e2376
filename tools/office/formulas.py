# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Formulas that a solver writes: looked over before they stand in a file. Libraries are imported where used."""

import difflib
import re

from .access import short

LONGEST = 8_192
PREFIXED = frozenset(
    (
        "ACOT ACOTH AGGREGATE ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE BINOM.INV BITAND "
        "BITLSHIFT BITOR BITRSHIFT BITXOR CEILING.MATH CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT "
        "CHISQ.TEST COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COT COTH COVARIANCE.P COVARIANCE.S CSC CSCH DAYS "
        "DECIMAL ERF.PRECISE ERFC.PRECISE EXPON.DIST F.DIST F.DIST.RT F.INV F.INV.RT F.TEST FILTERXML FLOOR.MATH "
        "FLOOR.PRECISE FORECAST.ETS FORECAST.ETS.CONFINT FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR "
        "FORMULATEXT GAMMA GAMMA.DIST GAMMA.INV GAMMALN.PRECISE GAUSS HYPGEOM.DIST IFNA IFS IMAGE IMCOSH IMCOT IMCSC "
        "IMCSCH IMSEC IMSECH IMSINH IMTAN ISFORMULA ISOWEEKNUM LOGNORM.DIST LOGNORM.INV MAXIFS MINIFS MODE.MULT "
        "MODE.SNGL MUNIT NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION PERCENTILE.EXC "
        "PERCENTILE.INC PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA PHI POISSON.DIST QUARTILE.EXC QUARTILE.INC "
        "QUERYSTRING RANK.AVG RANK.EQ RRI SEC SECH SHEET SHEETS SKEW.P STDEV.P STDEV.S SWITCH T.DIST T.DIST.2T "
        "T.DIST.RT T.INV T.INV.2T T.TEST TEXTAFTER TEXTBEFORE TEXTJOIN UNICHAR UNICODE VALUETOTEXT VAR.P VAR.S "
        "WEBSERVICE WEIBULL.DIST XLOOKUP XMATCH XOR Z.TEST"
    ).split()
)
"""Functions newer than the file format: files write ``_xlfn.`` before their names, people do not."""
SPILLING = frozenset(
    (
        "FILTER SORT SORTBY UNIQUE SEQUENCE RANDARRAY LET LAMBDA TEXTSPLIT VSTACK HSTACK TOCOL TOROW TAKE DROP "
        "CHOOSECOLS CHOOSEROWS EXPAND WRAPCOLS WRAPROWS BYCOL BYROW MAKEARRAY MAP REDUCE SCAN ANCHORARRAY SINGLE"
    ).split()
)
"""Functions whose formulas files keep in another form than they show."""


def checked(guest, at, written, sheets):
    """A formula as a file holds it. Raises ToolError for one that no program would understand."""
    from openpyxl.formula import Tokenizer
    from openpyxl.utils import FORMULAE

    def refused(why):
        return guest.ToolError(f"{at}: {short(written)} {why} Nothing was changed.")

    if len(written) > LONGEST:
        raise refused(f"is longer than {LONGEST} characters.")
    if "\n" in written or "\r" in written:
        written = re.sub(r"\s*[\r\n]+\s*", " ", written)
    try:
        tokenizer = Tokenizer(written)
    except Exception as error:  # noqa: BLE001 - its own errors, and IndexError over what does not close
        raise refused(f"is no formula: {error}. Put ' before it to write it as text.") from None
    depth, made = 0, []
    for token in tokenizer.items:
        value = token.value
        depth += (token.subtype == "OPEN") - (token.subtype == "CLOSE")
        if token.type == "FUNC" and token.subtype == "OPEN":
            name = value[:-1].upper()
            if name.removeprefix("_XLFN.").removeprefix("_XLWS.") in SPILLING:
                raise refused(f"uses {name}, which cannot be written here. Compute it, and write the values.")
            value = f"_xlfn.{value}" if name in PREFIXED else value
            near = difflib.get_close_matches(name, [*FORMULAE, *PREFIXED], n=1, cutoff=0.7)
            if near and name not in PREFIXED and name not in FORMULAE and "." not in name:
                raise refused(f"calls {name}, which is no function; did you mean {near[0]}?")
        if token.type == "OPERAND" and token.subtype == "RANGE" and "!" in value and "[" not in value:
            _known_sheet(value, sheets, refused)
        made.append(value)
    if depth:
        raise refused("has a bracket that is not closed.")
    if ";" in re.sub(r'"[^"]*"|\{[^}]*\}|\'[^\']*\'', "", written):
        raise refused("divides arguments by ; - write a comma.")
    return "".join(made)


def _known_sheet(reference, sheets, refused):
    named = reference.rpartition("!")[0]
    names = [named[1:-1].replace("''", "'")] if named[:1] == "'" else named.split(":")
    for name in names:
        if name.lower() not in [each.lower() for each in sheets] and ":" not in name:
            raise refused(f"refers to the sheet {name!r}. The sheets are: {', '.join(sheets)}.")
