"""Any endpoint that speaks OpenAI's chat completions: hosted models, vLLM, llama.cpp, Ollama, SGLang.

The ``openai`` library is imported at the first call (a cold import takes seconds). Keys are read from an environment
variable or a file when they are needed, and never stored in a record. What the wire calls ``reasoning_content`` (or
``reasoning``) comes back to the provider with the turn it belongs to.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workgym.errors import ModelError, UsageError
from workgym.model import (
    Block,
    ImageBlock,
    Message,
    ModelReply,
    ModelRequest,
    ReasoningBlock,
    Sampling,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
    Usage,
)
from workgym.records import Record, ToolSpec, canonical

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletion

_STOPS: dict[str, Literal["end", "tool_calls", "length", "filter"]] = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "filter",
}


class OpenAIConfig(Record):
    """Where a model is and how to ask it."""

    model: str
    """The model's name at the endpoint."""
    base_url: str | None = None
    """Address up to and with ``/v1``; None is OpenAI's own."""
    key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key."""
    key_file: str | None = None
    """File that holds the key, read in place of the variable; None for no file."""
    timeout: float = 600.0
    """Seconds for one reply."""
    retries: int = 4
    """Further attempts after a refused connection, a rate limit or a server's error, with growing waits."""
    sampling: Sampling = Sampling()
    """How to draw where the request leaves it open."""

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

    @property
    def name(self) -> str:
        """``openai:`` and the model's name."""
        return f"openai:{self.config.model}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key, where there is one."""
        key = self.config.key()
        return () if key == "none" else (key,)

    def complete(self, request: ModelRequest) -> ModelReply:
        """One chat completion. Raises ModelError with the endpoint's reason when the retries are used up."""
        client = self._open()
        import openai

        try:
            answer = client.chat.completions.create(**_body(request, self.config))
        except openai.APIStatusError as error:
            raise ModelError(f"{self.name}: {error.status_code}: {error.message}") from error
        except openai.OpenAIError as error:
            raise ModelError(f"{self.name}: {error}") from error
        return _reply(answer, self.name)

    def _open(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(
                    base_url=self.config.base_url,
                    api_key=self.config.key(),
                    timeout=self.config.timeout,
                    max_retries=self.config.retries,
                    http_client=self._http_client,
                )
            return self._client


def _body(request: ModelRequest, config: OpenAIConfig) -> dict[str, Any]:
    drawn = config.sampling.model_dump(exclude_none=True) | request.sampling.model_dump(exclude_none=True)
    if "max_tokens" in drawn:
        drawn["max_completion_tokens"] = drawn.pop("max_tokens")
    body: dict[str, Any] = {"model": config.model, "messages": wire_messages(request.messages), **drawn}
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


def _reply(answer: ChatCompletion, name: str) -> ModelReply:
    if not answer.choices:
        raise ModelError(f"{name}: an answer without choices")
    choice = answer.choices[0]
    extra = choice.message.model_extra or {}
    blocks: list[Block] = []
    thought = extra.get("reasoning_content") or extra.get("reasoning")
    if isinstance(thought, str) and thought:
        blocks.append(ReasoningBlock(text=thought))
    said = choice.message.content or choice.message.refusal
    if said:
        blocks.append(TextBlock(text=said))
    for call in choice.message.tool_calls or ():
        if call.type == "function":
            blocks.append(_call(call.id, call.function.name, call.function.arguments))
    stop = "tool_calls" if any(isinstance(block, ToolCallBlock) for block in blocks) else choice.finish_reason
    return ModelReply(blocks=tuple(blocks), usage=_usage(answer), stop=_STOPS.get(stop, "end"), model=answer.model)


def _call(call_id: str, name: str, arguments: str) -> ToolCallBlock:
    try:
        parsed = json.loads(arguments or "{}")
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        return ToolCallBlock(id=call_id, name=name, malformed=arguments)
    return ToolCallBlock(id=call_id, name=name, arguments=parsed)


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
