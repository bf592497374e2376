import itertools
import re

from desk import Blocked, number, records

STAFF, SHIFTS, AGREEMENT = "planning/staff.csv", "planning/shifts.csv", "policies/agreement.docx"


def solve(desk):
    rest = re.search(r"at least (\d+) hours", "\n".join(desk.document(AGREEMENT).lines))
    if rest is None:
        raise Blocked(f"the hours of rest are missing in {AGREEMENT}", [AGREEMENT], "roster.csv")
    staff = table(desk, STAFF, "Employee", "Skill", "Pay an hour (EUR)")
    shifts = table(desk, SHIFTS, "Shift", "Begins after (h)", "Hours", "Needs")
    plan = cheapest(staff, sorted(shifts, key=lambda shift: number(shift["Begins after (h)"])), number(rest[1]))
    if plan is None:
        raise Blocked(f"nobody can fill every shift with the people of {STAFF}", [STAFF], "roster.csv")
    lines = ["Shift,Employee,Cost (EUR)"]
    for shift, pair in plan:
        for one in pair:
            cost = number(one["Pay an hour (EUR)"]) * number(shift["Hours"])
            lines.append(f"{shift['Shift']},{one['Employee']},{cost:.2f}")
    desk.write("roster.csv", "\n".join(lines) + "\n")


def table(desk, path, *columns):
    rows = records(desk.csv(path), *columns)
    for row in rows:
        for column in columns:
            if not row[column]:
                raise Blocked(f"{row[columns[0]] or 'a row'} has no {column} in {path}", [path], "roster.csv")
    return rows


def cheapest(staff, shifts, rest, free=None):
    """Pairs by shift: at each the cheapest that leaves a way on."""
    if not shifts:
        return []
    free = free or {}
    shift = shifts[0]
    begins, hours = number(shift["Begins after (h)"]), number(shift["Hours"])
    able = [one for one in staff if free.get(one["Employee"], 0) <= begins]
    pairs = [pair for pair in itertools.combinations(able, 2) if any(one["Skill"] == shift["Needs"] for one in pair)]
    for pair in sorted(pairs, key=lambda pair: sum(number(one["Pay an hour (EUR)"]) for one in pair)):
        later = cheapest(staff, shifts[1:], rest, free | {one["Employee"]: begins + hours + rest for one in pair})
        if later is not None:
            return [(shift, pair), *later]
    return None
