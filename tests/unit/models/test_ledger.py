"""Cache, resume and accounts: what is stored, what it cost, and what a budget stops."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from workgym.errors import BudgetSpent, ModelError, ModelUnavailable, UsageError
from workgym.model import Message, ModelCard, ModelReply, ModelRequest, Price, Sampling, TextBlock, Usage, budget_share
from workgym.models import Budget, Ledger, Ledgered, OpenAIConfig, OpenAIModel, Retries, Retrying, ScriptedModel
from workgym.models.prices import rate
from workgym.records import ToolSpec
from workgym.testing import judges
from workgym.testing.endpoint import Endpoint, Failure
from workgym.verify import Judge, Settings
from workgym.verify.judging.questions import Question
from workgym.verify.judging.rendering import View

GO = ModelRequest(messages=(Message.of("user", "Go."),))
TOOK = Usage(prompt=1000, cached=200, completion=100, reasoning=40)


def ask(number: int) -> ModelRequest:
    return ModelRequest(messages=(Message.of("user", f"question {number}"),))


class Priced(ScriptedModel):
    """Answers anything, says what it took, and has a price."""

    def __init__(self, usage: Usage = TOOK, price: Price | None = None, name: str = "priced") -> None:
        super().__init__(lambda request: ModelReply(blocks=(TextBlock(text="a"),), usage=usage), name)
        self.card = ModelCard(price=price)


def test_a_reply_is_stored_under_all_that_it_depends_on(tmp_path: Path) -> None:
    inner = Priced()
    model = Ledgered(inner, Ledger(tmp_path / "l.sqlite"), stage="plan")
    tool = ToolSpec(name="t", description="T.", input_schema={})
    variants = [
        GO,
        ask(1),
        GO.model_copy(update={"tools": (tool,)}),
        GO.model_copy(update={"sampling": Sampling(temperature=0.0)}),
        GO.model_copy(update={"sample": 1}),
    ]
    for request in (*variants, *variants):
        assert model.complete(request).text == "a"
    assert len(inner.requests) == len(variants)
    assert Ledgered(Priced(name="another"), model.ledger).complete(GO) and len(inner.requests) == len(variants)
    spent = Ledger(tmp_path / "l.sqlite").spent(stage="plan")
    assert (spent.calls, spent.hits, spent.unpriced, spent.cost) == (5, 5, 5, None)
    assert (spent.prompt, spent.cached, spent.completion, spent.reasoning) == (5000, 1000, 500, 200)
    assert model.ledger.spent().calls == 6 and model.ledger.stages() == (("", "another"), ("plan", "priced"))


def test_how_a_model_draws_by_itself_is_a_part_of_the_key() -> None:
    warm, cold = Priced(), Priced()
    warm.card = ModelCard(sampling=Sampling(temperature=1.0))
    cold.card = ModelCard(sampling=Sampling(temperature=0.0))
    ledger = Ledger()
    for inner in (warm, cold, warm):
        Ledgered(inner, ledger).complete(GO)
    assert (len(warm.requests), len(cold.requests)) == (1, 1)


def test_failures_and_retries_are_booked_and_a_failed_call_is_made_again(tmp_path: Path) -> None:
    said: list[Any] = [Failure(503), "ok", Failure(400, "bad"), "then"]
    with Endpoint(lambda _, number: said[number - 1], usage=Usage(prompt=7, completion=3)) as endpoint:
        config = OpenAIConfig(model="m", base_url=endpoint.url, key_env="NO_SUCH_KEY")
        model = Ledgered(Retrying(OpenAIModel(config), sleep=lambda _: None), Ledger(tmp_path / "l.sqlite"), stage="s")
        assert model.complete(GO).attempts == 2
        with pytest.raises(ModelError, match="bad"):
            model.complete(ask(1))
        assert model.complete(ask(1)).text == "then"
        assert model.complete(GO).text == "ok" and len(endpoint.bodies) == 4
    spent = model.ledger.spent()
    assert (spent.calls, spent.retries, spent.failures, spent.hits) == (2, 1, 1, 1)
    assert (spent.prompt, spent.completion, spent.reckoned) == (14, 6, 20)
    ((stage, name, error),) = model.ledger.failures()
    assert (stage, name) == ("s", "openai:m") and "400" in error


def test_sums_are_the_sums_of_the_calls(tmp_path: Path) -> None:
    price = Price(input=Decimal(3), output=Decimal(15), cached=Decimal("0.3"))
    model = Ledgered(Priced(price=price), Ledger(tmp_path / "l.sqlite"))
    for number in range(50):
        model.complete(ask(number % 30))
    spent = model.ledger.spent()
    base = sqlite3.connect(tmp_path / "l.sqlite")
    assert base.execute("select count(*), sum(hits), sum(nano) from calls").fetchone() == (30, 20, spent.nano)
    base.close()
    assert (spent.calls, spent.hits) == (30, 20)
    assert spent.money == 30 * (800 * Decimal(3) + 200 * Decimal("0.3") + 100 * 15) / 1_000_000 == Decimal("0.1188")


def test_a_budget_of_tokens_stops_and_all_is_kept(tmp_path: Path) -> None:
    inner = Priced()
    model = Ledgered(inner, Ledger(tmp_path / "l.sqlite"), budget=Budget(tokens=5000))
    for number in range(5):
        model.complete(ask(number))
    with pytest.raises(BudgetSpent, match=r"priced: the budget is used up: 5,500 of 5,000 tokens are spent"):
        model.complete(ask(5))
    assert model.complete(ask(0)).text == "a", "what is stored costs nothing"
    assert len(inner.requests) == 5 and model.ledger.spent().failures == 0
    again = Ledgered(Priced(), Ledger(tmp_path / "l.sqlite"), budget=Budget(tokens=5000))
    with pytest.raises(BudgetSpent):
        again.complete(ask(6))
    more = Ledgered(Priced(), Ledger(tmp_path / "l.sqlite"), budget=Budget(tokens=6000))
    assert more.complete(ask(5)).text == "a"


def test_tokens_that_nobody_counted_count_by_their_length() -> None:
    model = Ledgered(Priced(usage=Usage()), Ledger(), budget=Budget(tokens=100))
    for number in range(50):
        try:
            model.complete(ask(number))
        except BudgetSpent:
            break
    spent = model.ledger.spent()
    assert 2 <= spent.calls < 10 and (spent.prompt, spent.uncounted) == (0, spent.calls)
    assert 100 <= spent.reckoned < 150


def test_a_budget_of_money_stops_and_wants_a_price() -> None:
    model = Ledgered(
        Priced(price=Price(input=Decimal(1000), output=Decimal(0))), Ledger(), budget=Budget(money=Decimal("2.5"))
    )
    model.complete(ask(0))
    assert budget_share(model, TOOK) is None, "not to be told"
    told = Ledgered(model.inner, Ledger(), budget=Budget(money=Decimal("2.5"), tokens=11_000, tell=True))
    assert budget_share(told, TOOK) == pytest.approx(0.4), "of money, which is nearer to its end than tokens"
    model.complete(ask(1))
    model.complete(ask(2))
    with pytest.raises(BudgetSpent, match=r"\$3.0000 of \$2.50 are spent"):
        model.complete(ask(3))
    with pytest.raises(UsageError, match="nobody knows the price of priced.*write its price"):
        Ledgered(Priced(), Ledger(), budget=Budget(money=Decimal(1)))


def test_money_of_replies_that_nobody_counted_counts_by_their_length() -> None:
    price = Price(input=Decimal(100), output=Decimal(100))
    model = Ledgered(Priced(usage=Usage(), price=price), Ledger(), budget=Budget(money=Decimal("0.01")))
    for number in range(50):
        try:
            model.complete(ask(number))
        except BudgetSpent:
            break
    spent = model.ledger.spent()
    assert 2 <= spent.calls < 10 and (spent.cost, spent.nano) == (None, 0), "what it cost is not known"
    assert spent.reckoned_nano == spent.reckoned * 100_000 >= 10_000_000


def test_prices_are_listed_or_null() -> None:
    pytest.importorskip("genai_prices", reason="extra prices")
    known = rate(ModelCard(model="gpt-5"))
    assert known is not None and known(TOOK) == Decimal("0.002025")
    assert known(Usage(prompt=1)) is None, "no tokens, no price"
    router = rate(ModelCard(model="openai/gpt-5", base_url="https://openrouter.ai/api/v1"))
    assert router is not None and router(TOOK) is not None
    assert rate(ModelCard(model="gpt-5", base_url="http://localhost:8000/v1")) is None, "a name is no price"
    assert rate(ModelCard(model="no-such-model")) is None and rate(ModelCard()) is None
    model = Ledgered(OpenAIModel(OpenAIConfig(model="no-such-model")), Ledger())
    assert model.ledger.spent().cost == 0 and model.budget_share(TOOK) is None


def test_no_secret_is_kept(tmp_path: Path) -> None:
    secret = "the-key-that-nobody-may-see"

    def careless(request: ModelRequest) -> str:
        if request == ask(1):
            raise ModelUnavailable(f"401 for {secret}")
        return f"My key is {secret}"

    inner = ScriptedModel(careless)
    inner.secrets = (secret,)
    model = Ledgered(inner, Ledger(tmp_path / "l.sqlite"))
    said = model.complete(GO)
    with pytest.raises(ModelUnavailable):
        model.complete(ask(1))
    assert said == model.complete(GO) and "[redacted]" in said.text
    model.ledger.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert secret.encode() not in kept and b"[redacted]" in kept


def test_a_missing_key_leaves_no_mark_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    ledger = Ledger()
    for _ in range(2):
        with pytest.raises(UsageError, match="no key for m"):
            Ledgered(OpenAIModel(OpenAIConfig(model="m", key_env="NO_SUCH_KEY")), ledger).complete(GO)


def test_an_interrupt_leaves_no_mark_behind() -> None:
    def interrupted(request: ModelRequest) -> str:
        raise KeyboardInterrupt

    ledger = Ledger()
    with pytest.raises(KeyboardInterrupt):
        Ledgered(ScriptedModel(interrupted, name="m"), ledger).complete(GO)
    assert Ledgered(ScriptedModel(["a"], name="m"), ledger).complete(GO).text == "a"


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, whatever its length " * 50)
    with pytest.raises(UsageError, match="no ledger can be kept here"):
        Ledger(tmp_path / "text")
    with pytest.raises(UsageError, match="no ledger can be kept here"):
        Ledger(tmp_path / "text" / "l.sqlite")
    for statement in ("pragma user_version = 7", "create table t (x)"):
        path = tmp_path / f"{len(statement)}.sqlite"
        base = sqlite3.connect(path)
        base.execute(statement)
        base.commit()
        base.close()
        with pytest.raises(UsageError, match="reads version 1"):
            Ledger(path)


def test_closing_gives_up_the_marks_and_a_later_use_opens_again(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    Ledgered(Priced(), ledger).complete(GO)
    assert len(list((tmp_path / "l.sqlite.owners").iterdir())) == 1
    assert Ledger(tmp_path / "l.sqlite").spent().calls == 1
    assert len(list((tmp_path / "l.sqlite.owners").iterdir())) == 1, "who only reads makes no marks"
    ledger.close()
    ledger.close()
    assert list((tmp_path / "l.sqlite.owners").iterdir()) == [] and ledger.spent().calls == 1
    ledger.close()


def test_backing_off_is_counted_once_it_fails() -> None:
    def down(_: ModelRequest) -> str:
        raise ModelUnavailable("503")

    model = Ledgered(Retrying(ScriptedModel(down), Retries(times=3), sleep=lambda _: None), Ledger())
    with pytest.raises(ModelUnavailable):
        model.complete(GO)
    assert (model.ledger.spent().failures, model.ledger.spent().retries) == (1, 3)


def test_calls_in_flight_when_the_budget_ends_are_finished_and_no_others_begin() -> None:
    inner = Priced()
    model = Ledgered(inner, Ledger(), budget=Budget(tokens=5000))
    stopped: list[int] = []

    def one(number: int) -> None:
        try:
            model.complete(ask(number))
        except BudgetSpent:
            stopped.append(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(100)))
    assert 5 <= len(inner.requests) <= 5 + 7 and len(stopped) == 100 - len(inner.requests)
    assert model.ledger.spent().calls == len(inner.requests)


def test_a_judges_samples_are_draws_of_their_own_and_are_stored() -> None:
    inner = judges.honest()
    judge = Judge(Ledgered(inner, Ledger()), Settings(samples=3))
    question = Question("Says 'hello'.", "Write a file.", (), (View("hello there", "all of it"),))
    assert judge.ask(question).score == judge.ask(question).score == 1.0
    assert [request.sample for request in inner.requests] == [0, 1, 2]
    unusable = Ledgered(ScriptedModel(["no idea", '{"reasons": "it does", "score": 1}']), Ledger())
    assert Judge(unusable, Settings(samples=1, wait=0)).ask(question).score == 1.0, "a stored one would come again"
