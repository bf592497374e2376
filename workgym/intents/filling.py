"""How a library is filled: drafts, a look for repeats, a review, a line in the library; several at a time, in order.

What is decided does not depend on how many are made at once, or on where a run was interrupted: slots are added in
their order, and one that something has become of is not made again.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from workgym.errors import ModelError, Unstructured
from workgym.intents.drafting import Job, why
from workgym.intents.entries import Entry
from workgym.intents.library import Library
from workgym.intents.reviewing import THRESHOLD, Review, review
from workgym.model import Model
from workgym.records import Intent

T = TypeVar("T")


def fill(
    library: Library, jobs: Iterable[Job], judge: Model, *, threshold: int = THRESHOLD, workers: int = 1
) -> Iterator[Entry]:
    """Make what is not in the library yet, and put it in; each candidate as it is decided on.

    A draft or a review that does not come about is an entry (``dropped``). Raises other ModelErrors, a spent budget
    among them, when what was under way is kept.
    """
    done = library.slots
    drafts = _ahead((job for job in jobs if job.slot not in done), workers)
    reviews: deque[tuple[Intent, Future[Review]]] = deque()
    try:
        for job, draft in drafts:
            try:
                intent = draft.result()
            except Unstructured as error:
                yield library.drop(job.slot, why(error))
                continue
            while len(reviews) >= workers:
                yield _decided(library, *reviews.popleft())
            refused = library.refuse(intent)
            if refused is not None:
                yield refused
            else:
                reviews.append((intent, _started(partial(review, judge, intent, threshold=threshold))))
        while reviews:
            yield _decided(library, *reviews.popleft())
    except ModelError:
        for intent, opinion in reviews:
            with contextlib.suppress(ModelError):
                _decided(library, intent, opinion)
        raise


def _decided(library: Library, intent: Intent, opinion: Future[Review]) -> Entry:
    try:
        found = opinion.result()
    except Unstructured as error:
        return library.drop(intent.provenance["slot"], f"review: {why(error)}")
    return library.add(intent, found)


def _ahead(jobs: Iterator[Job], workers: int) -> Iterator[tuple[Job, Future[Intent]]]:
    """Jobs in order with their results, so many of them under way."""
    waiting: deque[tuple[Job, Future[Intent]]] = deque()
    for job in jobs:
        waiting.append((job, _started(job.make)))
        if len(waiting) >= workers:
            yield waiting.popleft()
    yield from waiting


def _started(work: Callable[[], T]) -> Future[T]:
    """A result that a thread of its own works out, which no interrupted program waits for."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
