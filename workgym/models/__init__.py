"""Models by name (``create``), and what stands around them: retries, limits, ledger, budgets, forms."""

from workgym.models.budget import Budget, Spent
from workgym.models.create import create
from workgym.models.form import Form
from workgym.models.ledger import Ledger
from workgym.models.ledgered import Ledgered
from workgym.models.limits import Limited, RateLimits
from workgym.models.mailbox import MailboxModel
from workgym.models.openai import OpenAIConfig, OpenAIModel
from workgym.models.recorded import RecordedModel
from workgym.models.retry import Retries, Retrying
from workgym.models.scripted import ScriptedModel
from workgym.models.structured import Asker, Structured, ask

__all__ = [
    "Asker",
    "Budget",
    "Form",
    "Ledger",
    "Ledgered",
    "Limited",
    "MailboxModel",
    "OpenAIConfig",
    "OpenAIModel",
    "RateLimits",
    "RecordedModel",
    "Retries",
    "Retrying",
    "ScriptedModel",
    "Spent",
    "Structured",
    "ask",
    "create",
]
