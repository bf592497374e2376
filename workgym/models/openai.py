"""Any endpoint that speaks OpenAI's chat completions: hosted models, vLLM, llama.cpp, Ollama, SGLang.

The ``openai`` library is imported at the first call (a cold import takes seconds). Keys are read from an environment
variable or a file when they are needed, never stored in a record, and cut out of what an endpoint complains of. What
the wire calls ``reasoning_content`` (or ``reasoning``) comes back to the provider with the turn it belongs to. One call
is one request: ``workgym.models.create`` puts retries and limits around it.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, field_validator

from workgym.errors import ContextExceeded, ModelError, ModelRefused, ModelUnavailable, UsageError
from workgym.model import (
    Block,
    ImageBlock,
    Message,
    ModelCard,
    ModelReply,
    ModelRequest,
    Price,
    ReasoningBlock,
    Sampling,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from workgym.models.limits import RateLimits
from workgym.models.retry import seconds
from workgym.models.wrapping import sound
from workgym.records import Record, ToolSpec, canonical
from workgym.records.tools import too_deep

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI
    from openai.types.chat import ChatCompletion

_TOO_LONG = re.compile(r"context (?:length|window|size)|maximum context|prompt is too long", re.IGNORECASE)
"""What servers say that do not send ``context_length_exceeded``: vLLM, llama.cpp, SGLang."""
_STOPS: dict[str, Literal["end", "tool_calls", "length", "filter"]] = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "filter",
}


class OpenAIConfig(Record):
    """Where a model is and how to ask it."""

    model: str = Field(min_length=1)
    """The model's name at the endpoint."""
    name: str | None = None
    """What records call it, to tell two endpoints' models of one name apart; None is ``openai:`` and the model."""
    base_url: str | None = None
    """Address up to and with ``/v1``; None is OpenAI's own."""
    key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key."""
    key_file: str | None = None
    """File that holds the key, read in place of the variable; None for no file."""
    timeout: float = 600.0
    """Seconds for one reply."""
    retries: int = Field(default=4, ge=0, le=100)
    """Further attempts after a refused connection, a rate limit or a server's error, with growing waits."""
    limits: RateLimits = RateLimits()
    """Calls at once, requests and tokens a minute."""
    sampling: Sampling = Sampling()
    """How to draw where the request leaves it open."""
    structured: Literal["schema", "json", "text"] = "schema"
    """How the endpoint can be held to a form: by JSON Schema, by a JSON mode, or only by being told."""
    context: int | None = Field(default=None, ge=1)
    """Tokens that prompt and reply may have together; None where it is not known."""
    price: Price | None = None
    """US dollars for a million tokens; None asks the price list (extra ``prices``)."""

    @field_validator("base_url")
    @classmethod
    def _without_password(cls, address: str | None) -> str | None:
        if address is not None and "@" in address.partition("://")[2].partition("/")[0]:
            raise ValueError("an address with a password in it; use key_env or key_file")
        return address

    @classmethod
    def from_environment(cls, model: str) -> OpenAIConfig:
        """The endpoint that ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` name, or OpenAI's own."""
        return cls(model=model, base_url=os.environ.get("OPENAI_BASE_URL") or None)

    def key(self) -> str:
        """The key. Raises UsageError where there is none; an endpoint with an address of its own may do without."""
        if self.key_file is not None:
            try:
                return Path(self.key_file).expanduser().read_text(encoding="utf-8").strip()
            except OSError as error:
                raise UsageError(f"key file {self.key_file}: {error.strerror}") from error
        found = os.environ.get(self.key_env, "").strip()
        if not found and self.base_url is None:
            raise UsageError(f"no key for {self.model}", fix=f"set {self.key_env}")
        return found or "none"


class OpenAIModel:
    """A model behind a chat-completions endpoint."""

    def __init__(self, config: OpenAIConfig, *, http_client: Any = None) -> None:
        """``http_client`` is handed to ``openai`` as it is; tests give one over a mock transport."""
        self.config = config
        self._http_client = http_client
        self._client: OpenAI | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIModel({self.config!r})"

    @property
    def name(self) -> str:
        """``openai:`` and the model's name, or as it is configured."""
        return self.config.name or f"openai:{self.config.model}"

    @property
    def card(self) -> ModelCard:
        """What its configuration says of it."""
        said = self.config
        return ModelCard(
            model=said.model,
            base_url=said.base_url,
            context=said.context,
            structured=said.structured,
            sampling=said.sampling,
            price=said.price,
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key, where there is one."""
        key = self.config.key()
        return () if key == "none" else (key,)

    def complete(self, request: ModelRequest) -> ModelReply:
        """One chat completion, by one request.

        Raises ModelUnavailable for what may pass (429, 5xx, time-outs, connections, an answer that is none),
        ContextExceeded where the conversation is too long, ModelRefused for every other 4xx.
        """
        client = self._open()
        import openai

        try:
            answer = client.chat.completions.create(**sound(_body(request, self.config)))
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except (openai.APITimeoutError, openai.APIConnectionError) as error:
            raise ModelUnavailable(self._clean(f"{self.name}: {error}")) from None
        except (openai.OpenAIError, ValueError) as error:  # a body that is no JSON
            raise ModelUnavailable(self._clean(f"{self.name}: {error}")) from None
        try:
            return _reply(answer)
        except (AttributeError, IndexError, TypeError, ValidationError):  # the library does not check what it reads
            raise ModelUnavailable(f"{self.name}: an answer that is no chat completion") from None

    def _refusal(self, error: APIStatusError) -> ModelError:
        status, headers = error.status_code, error.response.headers
        said = self._clean(f"{self.name}: {status}: {error.message}")
        if status in (408, 409, 429) or status >= 500:
            wait = headers.get("retry-after-ms")
            asked = float(wait) / 1000 if wait and wait.isdigit() else seconds(headers.get("retry-after"))
            return ModelUnavailable(said, retry_after=asked)
        if status in (400, 413) and (error.code == "context_length_exceeded" or _TOO_LONG.search(error.message)):
            return ContextExceeded(said, status=status)
        return ModelRefused(said, status=status)

    def _clean(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "[redacted]")
        return text

    def _open(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(
                    base_url=self.config.base_url,
                    api_key=self.config.key(),
                    timeout=self.config.timeout,
                    max_retries=0,
                    http_client=self._http_client,
                )
            return self._client


def _body(request: ModelRequest, config: OpenAIConfig) -> dict[str, Any]:
    drawn = config.sampling.model_dump(exclude_none=True) | request.sampling.model_dump(exclude_none=True)
    if "max_tokens" in drawn:
        drawn["max_completion_tokens"] = drawn.pop("max_tokens")
    body: dict[str, Any] = {"model": config.model, "messages": wire_messages(request.messages), **drawn}
    form = request.reply_schema
    if form is not None and form.held == "json":
        body["response_format"] = {"type": "json_object"}
    elif form is not None:
        schema = {"name": form.name, "schema": form.definition}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    return body


def _wire_tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def wire_messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """Messages as chat completions write them: each tool result is a message of its own."""
    written: list[dict[str, Any]] = []
    for message in messages:
        results = [block for block in message.blocks if isinstance(block, ToolResultBlock)]
        written += [{"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results]
        others = [block for block in message.blocks if not isinstance(block, ToolResultBlock)]
        if message.role == "assistant":
            written.append(_assistant(others))
        elif others:  # a picture beside results cannot stand in a tool message
            role = "user" if message.role == "tool" else message.role
            written.append({"role": role, "content": _content(others)})
    return written


def _assistant(blocks: Sequence[Block]) -> dict[str, Any]:
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    thoughts = [block.text for block in blocks if isinstance(block, ReasoningBlock)]
    turn: dict[str, Any] = {"role": "assistant", "content": "\n".join(texts) or None}
    if any(thoughts):
        turn["reasoning_content"] = "\n".join(thoughts)
    calls = [block for block in blocks if isinstance(block, ToolCallBlock)]
    if calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": canonical(call.arguments) if call.malformed is None else call.malformed,
                },
            }
            for call in calls
        ]
    return turn


def _content(blocks: Sequence[Block]) -> str | list[dict[str, Any]]:
    if all(isinstance(block, TextBlock) for block in blocks):
        return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append({"type": "text", "text": block.text})
        elif isinstance(block, ImageBlock):
            parts.append({"type": "image_url", "image_url": {"url": f"data:{block.media_type};base64,{block.data}"}})
    return parts


def _reply(answer: ChatCompletion) -> ModelReply:
    choice = answer.choices[0]
    extra = choice.message.model_extra or {}
    blocks: list[Block] = []
    thought = extra.get("reasoning_content") or extra.get("reasoning")
    if isinstance(thought, str) and thought:
        blocks.append(ReasoningBlock(text=sound(thought)))
    said = choice.message.content or choice.message.refusal
    if said:
        blocks.append(TextBlock(text=sound(said)))
    for call in choice.message.tool_calls or ():
        if call.type == "function":
            blocks.append(_call(call.id, call.function.name, call.function.arguments))
    stop = "tool_calls" if any(isinstance(block, ToolCallBlock) for block in blocks) else choice.finish_reason
    if choice.message.refusal and stop == "stop":
        stop = "content_filter"
    return ModelReply(blocks=tuple(blocks), usage=_usage(answer), stop=_STOPS.get(stop, "end"), model=answer.model)


def _call(call_id: str, name: str, arguments: str) -> ToolCallBlock:
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict) or too_deep(parsed):
        return ToolCallBlock(id=call_id, name=sound(name), malformed=sound(arguments))
    return ToolCallBlock(id=call_id, name=sound(name), arguments=sound(parsed))


def _usage(answer: ChatCompletion) -> Usage:
    usage = answer.usage
    if usage is None:
        return Usage()
    read, wrote = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        prompt=usage.prompt_tokens,
        cached=None if read is None else read.cached_tokens,
        completion=usage.completion_tokens,
        reasoning=None if wrote is None else wrote.reasoning_tokens,
    )
