"""The one door: tools are added here, told to the model from here, and what it wrote is parsed and run here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar, cast

from toolmend.repairs.policy import DEFAULT, PolicyLike, policy_of
from toolmend.repairs.record import JsonValue
from toolmend.toolkit.catalog import Catalog, Shape
from toolmend.toolkit.dialects import render_calls
from toolmend.toolkit.dispatch import Dispatcher
from toolmend.toolkit.errors import ToolDefinitionError, ToolUsageError, UnknownToolError
from toolmend.toolkit.function import ToolLike, compile_function, compile_tool, function_options
from toolmend.toolkit.given import check_text, items_of, several_of
from toolmend.toolkit.hooks import BeforeCall, Listener
from toolmend.toolkit.message import ToolOptions, read_examples, read_rules
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall, ToolResult
from toolmend.toolkit.reading import read_call, read_text
from toolmend.toolkit.schema import strict_obstacle
from toolmend.toolkit.spec import Handler, ToolSpec, compile_class, compile_raw
from toolmend.toolkit.wire import read_reply, unique_ids

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolmend.toolkit.stream import ReplyStream

__all__ = ("ToolLike", "ToolRegistry")

H = TypeVar("H", bound=Callable[..., object])


class ToolRegistry:
    """Tools under one policy.

    Threads may share it: each change puts a new catalog in the place of the old one, and a call of a method works with
    the catalog that it found.
    """

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike] = (),
        *,
        policy: PolicyLike = DEFAULT,
        infer_tool_name: bool = False,
    ) -> None:
        """Add tools.

        Args:
            tools: classes, functions, or compiled tools; one, or several.
            policy: which repairs are allowed, for tools that do not say so themselves; a policy, or `strict`,
                `lossless` or `default`.
            infer_tool_name: whether a call in text that names no tool goes to the one tool that it fits.

        Raises:
            ToolDefinitionError: if a tool is defined wrongly, or two have one name.
            UsageError: if the policy is none.
        """
        self.policy = policy_of(policy)
        self.infer_tool_name = infer_tool_name
        self._catalog = Catalog({})
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()
        self.add(tools)

    # ------------------------------------------------------------------ the tools

    def add(self, tools: ToolLike | Iterable[ToolLike]) -> None:
        """Add a tool, or several: all of them or none.

        Args:
            tools: classes, functions, or compiled tools.

        Raises:
            ToolDefinitionError: if a tool is defined wrongly, or two have one name.
        """
        self._add(*(compile_tool(cast("ToolLike", tool), self.policy) for tool in several_of(tools)))

    def add_function(self, function: Callable[..., object], **options: Any) -> None:  # noqa: ANN401 - as in ToolOptions
        """Add a tool made of a function.

        Args:
            function: the function; sync or async.
            options: what the tool states beside its parameters, as in `ToolOptions`; else what `@tool` stated.

        Raises:
            ToolDefinitionError: if it cannot be a tool, or another one has its name.
        """
        self._add(compile_function(function, function_options(function, **options), self.policy))

    def add_schema(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, JsonValue] | None,
        handler: Handler | None = None,
        **options: Any,  # noqa: ANN401 - as in ToolOptions
    ) -> None:
        """Add a tool that is only a JSON Schema; calls of it are validated all the same.

        Args:
            name: the name that the model calls it by.
            description: what the model is told of it.
            parameters: the schema of its arguments, an object; None if it has none.
            handler: runs it; it gets the arguments as one dict.
            options: what the tool states beside these, as in `ToolOptions`.

        Raises:
            ToolDefinitionError: if the schema cannot be used, or another tool has the name.
        """
        rules = read_rules(options.pop("repairs", ()), str(name))
        examples = read_examples(options.pop("examples", ()), str(name))
        try:
            stated = ToolOptions(name=name, description=description, repairs=rules, examples=examples, **options)
        except TypeError as error:
            hint = f"there are {', '.join(ToolOptions.__dataclass_fields__)}"
            raise ToolDefinitionError(f"no keyword {', '.join(options)} is known", tool=str(name), hint=hint) from error
        self._add(compile_raw(parameters, stated, self.policy, handler=handler))

    def handler(self, tool: type[BaseModel] | str) -> Callable[[H], H]:
        """Make a function the handler of a tool.

            @registry.handler(Fill)
            def fill(message: Fill) -> str: ...

        Args:
            tool: its class, which is added if it was not yet, or its name.

        Raises:
            UnknownToolError: if no tool has the name.
        """
        if isinstance(tool, str):
            name = self[tool].name
        else:
            spec = next((spec for spec in self._catalog.values() if spec.source is tool), None)
            name = spec.name if spec is not None else self._add(compile_class(tool, self.policy))

        def register(function: H) -> H:
            with self._lock:
                self._catalog = self._catalog.replacing(self[name].handled_by(function))
            return function

        return register

    def remove(self, name: str) -> None:
        """Take a tool away.

        Args:
            name: its name.

        Raises:
            UnknownToolError: if there is none.
        """
        with self._lock:
            self._catalog = self._catalog.without(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order in which they were added."""
        return self._catalog.names

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The compiled tools by name, as they are now."""
        return self._catalog

    def __contains__(self, tool: object) -> bool:
        """Whether a tool is there: its name, its class, or the compiled tool."""
        if isinstance(tool, str):
            return tool in self._catalog
        return any(tool is spec or tool is spec.source for spec in self._catalog.values())

    def __getitem__(self, name: str) -> ToolSpec:
        """A compiled tool by its name."""
        if name not in self._catalog:
            raise UnknownToolError(name, self.names)
        return self._catalog[name]

    def __iter__(self) -> Iterator[ToolSpec]:
        """The compiled tools, in the order in which they were added."""
        return iter(tuple(self._catalog.values()))

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._catalog)

    # ------------------------------------------------------------------ what the model is told

    def openai_tools(self, *, strict: bool = False) -> Shape:
        """The tools for `tools` of Chat Completions.

        Args:
            strict: whether the provider is to hold the model to the schemas; a tool that cannot be told that way
                without another meaning is given with `strict: false`, `strict_obstacles` tells why.
        """
        return self._catalog.openai_tools(strict=strict)

    def openai_functions(self) -> Shape:
        """The tools for the legacy `functions` of Chat Completions."""
        return self._catalog.openai_functions()

    def responses_tools(self, *, strict: bool = False) -> Shape:
        """The tools for `tools` of the Responses API.

        Args:
            strict: as for `openai_tools`.
        """
        return self._catalog.responses_tools(strict=strict)

    def strict_obstacles(self) -> dict[str, str]:
        """The tools that the strict mode cannot express, with the reason."""
        found = {name: strict_obstacle(spec) for name, spec in self._catalog.items()}
        return {name: reason for name, reason in found.items() if reason is not None}

    def instructions(self, dialect: str = "json") -> str:
        """The part of a system prompt that tells a model without a tool API of the tools.

        Args:
            dialect: the form of calls that is asked for, one of `DIALECTS`.

        Returns:
            The text; empty if there are no tools.

        Raises:
            ToolUsageError: if the dialect is unknown.
        """
        return self._catalog.instructions(dialect)

    def example_turns(self, dialect: str = "json") -> Shape:
        """Turns of a conversation made of the tools' examples, as messages of Chat Completions.

        Only those examples count that have what a user says, `Example(arguments, user=...)`.

        Args:
            dialect: the form of the calls.

        Raises:
            ToolUsageError: if the dialect is unknown.
        """
        return self._catalog.example_turns(dialect)

    def render(self, calls: ToolCall | Iterable[ToolCall], dialect: str = "json") -> str:
        """Write calls as a model writes them that was asked for a dialect; parsed, the text gives the same calls.

        Args:
            calls: calls of these tools, one or several.
            dialect: the form of the calls; `dialect_of` tells the one in which a call was written.

        Raises:
            ToolUsageError: if the dialect is unknown, or they are no calls.
        """
        return render_calls((calls,) if isinstance(calls, ToolCall) else calls, self._catalog, dialect)

    # ------------------------------------------------------------------ what the model wrote

    def parse_text(self, text: str, *, finish_reason: str | None = None, dialect: str | None = None) -> ParseResult:
        """Find the calls in a whole message of the model.

        Args:
            text: the message.
            finish_reason: why the model stopped, as the provider told it.
            dialect: the form of calls that the instructions asked for; None if they asked for none.

        Raises:
            ToolUsageError: if the text is no string, or the dialect is unknown.
        """
        check_text(text, "the text")
        result = read_text(text, self._catalog, finish_reason, dialect, infer_tool_name=self.infer_tool_name)
        return self._told(result) if self._listeners else result

    def parse_call(
        self,
        name: str,
        arguments: str | None,
        *,
        id: str | None = None,  # noqa: A002 - what it is called everywhere
        finish_reason: str | None = None,
    ) -> ParseResult:
        """Read one call made through a provider's API.

        Args:
            name: the name as the model wrote it.
            arguments: the text of the arguments as the model wrote it; None counts as empty.
            id: the id of the call.
            finish_reason: why the model stopped, as the provider told it.

        Returns:
            One call or one error; more of them if the call only holds others (`multi_tool_use.parallel`).

        Raises:
            ToolUsageError: if name or arguments are no strings.
        """
        check_text(name, "the name")
        text = "" if arguments is None else check_text(arguments, "the arguments")
        result = ParseResult(read_call(name, text, self._catalog, finish_reason, id), finish_reason=finish_reason)
        return self._told(result) if self._listeners else result

    def check_call(
        self,
        name: str,
        arguments: JsonValue,
        *,
        id: str | None = None,  # noqa: A002 - what it is called everywhere
    ) -> ParseResult:
        """Check and mend a call whose arguments another framework has parsed already.

        Args:
            name: the name as the model wrote it.
            arguments: the arguments as JSON values; a string is read as the text of them.
            id: the id of the call.

        Raises:
            ToolUsageError: if the name is no string.
        """
        check_text(name, "the name")
        result = ParseResult(read_call(name, arguments, self._catalog, None, id))
        return self._told(result) if self._listeners else result

    def parse_reply(
        self,
        reply: object,
        *,
        search_text: bool | None = None,
        dialect: str | None = None,
    ) -> ParseResult:
        """Read a whole reply: the calls made through the API, and those in its text.

        Args:
            reply: a `ModelReply`, or a message or completion of a provider, as dicts or objects.
            search_text: whether the text is searched for calls; by default only if there are none through the API.
            dialect: the form of calls that the instructions asked for; None if they asked for none.

        Raises:
            ToolUsageError: if it is no reply that is known, or the dialect is unknown.
        """
        read = read_reply(reply)
        catalog = self._catalog
        items: list[ToolCall | CallError] = []
        for call in unique_ids(read.tool_calls):
            items += read_call(call.name, call.arguments, catalog, read.finish_reason, call.id)
        if not (search_text if search_text is not None else not items):
            result = ParseResult(tuple(items), read.text, read.finish_reason)
        else:
            infer = self.infer_tool_name
            found = read_text(read.text or "", catalog, read.finish_reason, dialect, infer_tool_name=infer)
            result = ParseResult((*items, *found.items), found.text, read.finish_reason, found.repairs)
        return self._told(result) if self._listeners else result

    def stream(
        self,
        *,
        search_text: bool | None = None,
        dialect: str | None = None,
        reasoning_first: bool = False,
        eager: bool = False,
    ) -> ReplyStream:
        """Read a reply while it is being written; its chunks are fed to what this returns.

        Args:
            search_text: as for `parse_reply`.
            dialect: as for `parse_reply`.
            reasoning_first: whether the text begins within reasoning, as the model's template opened it.
            eager: whether calls are told before the reply is whole; a `CallRetracted` takes back one told too early.

        Raises:
            ToolUsageError: if the dialect is unknown.
        """
        from toolmend.toolkit.stream import ReplyStream  # whole replies are read without it

        return ReplyStream(
            copy(self), search_text=search_text, dialect=dialect, reasoning_first=reasoning_first, eager=eager
        )

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a listener told of each result, before whoever asked for it gets it: what was mended, what is faulty.

        It is told of the results of `parse_text`, `parse_call`, `check_call` and `parse_reply`, and of a stream that
        began after this when it is finished. What it raises comes out of the method that was called.

        Args:
            listener: a function of one result; `RepairLog` is one.

        Returns:
            A function that ends this.

        Raises:
            ToolUsageError: if it cannot be called.
        """
        if isinstance(listener, type) or not callable(listener):
            raise ToolUsageError(f"a listener is a function of one result, as RepairLog(...) is, got {listener!r:.80}")

        def told(result: ParseResult) -> None:
            listener(result)

        def stop() -> None:
            with self._lock:
                self._listeners = tuple(one for one in self._listeners if one is not told)

        with self._lock:
            self._listeners = (*self._listeners, told)
        return stop

    # ------------------------------------------------------------------ running

    def dispatch(
        self,
        result: ParseResult | Iterable[ToolCall | CallError],
        *,
        handlers: Mapping[str, Handler] | None = None,
        before: BeforeCall | None = None,
    ) -> tuple[ToolResult, ...]:
        """Run calls one after another; an async handler is run to its end.

        Args:
            result: what was parsed.
            handlers: what runs a tool, by its name; comes before what the tool itself declares.
            before: asked before each call runs; it may deny or edit it.

        Returns:
            One result for each call and each error, in order. What a handler raises becomes its result.

        Raises:
            MissingHandlerError: if nothing runs one of the calls; then none has run.
            UnknownToolError: if there is a handler for a tool that is not there.
            ToolUsageError: if it is no result of parsing, or a handler is async and an event loop is running; then
                none has run.
        """
        return Dispatcher(self._catalog, handlers=handlers, before=before).run(items_of(result))

    async def dispatch_async(
        self,
        result: ParseResult | Iterable[ToolCall | CallError],
        *,
        handlers: Mapping[str, Handler] | None = None,
        before: BeforeCall | None = None,
    ) -> tuple[ToolResult, ...]:
        """Run calls beside one another, sync handlers in threads; one after another if a tool is `sequential`.

        Args:
            result: what was parsed.
            handlers: what runs a tool, by its name; comes before what the tool itself declares.
            before: asked before each call runs; it may deny or edit it, and may be async.

        Returns:
            One result for each call and each error, in order. What a handler raises becomes its result.

        Raises:
            MissingHandlerError: if nothing runs one of the calls; then none has run.
            ToolUsageError: if it is no result of parsing.
        """
        return await Dispatcher(self._catalog, handlers=handlers, before=before).run_async(items_of(result))

    # ------------------------------------------------------------------ behind

    def _told(self, result: ParseResult) -> ParseResult:
        """Tell the listeners of a result."""
        for listener in self._listeners:
            listener(result)
        return result

    def _add(self, *specs: ToolSpec) -> str:
        """Add compiled tools, all or none; gives the name of the last."""
        with self._lock:
            catalog = self._catalog
            for spec in specs:
                catalog = catalog.adding(spec)
            self._catalog = catalog
        return specs[-1].name if specs else ""
