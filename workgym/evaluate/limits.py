"""What a corpus of made-up work cannot say, and what its tasks and deliverables must not be used for.

Said in every data card and report. Sources: what the authors of the three published systems state of theirs, and what
was found out while this one was built.
"""

from __future__ import annotations

LIMITS: tuple[tuple[str, str], ...] = (
    (
        "Made up",
        "People, firms, figures and documents are invented. A workspace is a likeness of somebody's work: it "
        "lacks the history, the habits and the colleagues that real work has.",
    ),
    (
        "Not representative",
        "How many tasks there are says nothing about whose work they stand for. Distinct work is told beside the "
        "number of tasks because many tasks can come from one template. Coverage of occupations counts codes, not"
        " how typical a task is of them.",
    ),
    (
        "Blind spots",
        "What is drawn from lists of occupations and skills misses what the lists miss: kinds of work, cultures, "
        "languages, what people with disabilities need, ways in which work goes wrong. Requests and files are "
        "mostly in English.",
    ),
    (
        "Office files above all",
        "Documents, tables, mails and web pages prevail. Complex screens, desktop programs, sound and film hardly "
        "occur.",
    ),
    (
        "Text only",
        "No premise that a text task needs stands in pixels alone, and no picture is sent when trajectories are "
        "collected. A corpus like this teaches nothing about seeing.",
    ),
    (
        "Borrowed limits",
        "Where files or skills come from elsewhere, their errors, gaps and licences come along.",
    ),
    (
        "Grading",
        "Program checks can be brittle and judges lenient. Sound deliverables that must pass and spoilt ones that"
        " must fail lower the risk and do not end it: how often a wrong verdict is given, only people who look at"
        " a sample can say (workgym audit).",
    ),
    (
        "Defect rates",
        "They rest on a probe: a model that did the task, and one that said what stood in the way. What both "
        "overlook is not counted, and what they only believe is. Rates of different probes do not compare.",
    ),
)
"""Title and text of each limit."""

USES: tuple[tuple[str, str], ...] = (
    ("Meant for", "training and evaluating agents that work on files, and research into how such tasks are made."),
    (
        "Not meant for",
        "deciding anything about real people or firms, nor as advice on the matters that its tasks are about: "
        "law, health, money, safety.",
    ),
    (
        "Deliverables",
        "What agents hand in may be wrong or biased, however high it was scored. It does not replace the review "
        "of a qualified professional.",
    ),
    (
        "Hidden side",
        "Graphs, expected values and reference deliverables must not reach a solver. Keep evaluation tasks out of"
        " training data: each carries a canary to look for.",
    ),
)
"""What it is for, and what not."""
