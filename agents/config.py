"""The settings of a chat agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, cast

from pydantic import Field, SkipValidation, ValidationInfo, field_validator, model_validator

from toolmend.agents._settings import Settings
from toolmend.agents.budgets import Budgets
from toolmend.agents.clients.base import LLMClient, LLMConfig
from toolmend.agents.errors import ConfigError
from toolmend.agents.fitting import BUFFER_TOKENS, MIN_OUTPUT_TOKENS
from toolmend.agents.strategies import HistoryStrategy, StrategyName, strategy_of
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.errors import UsageError
from toolmend.repairs.policy import DEFAULT, PolicyLike, RepairPolicy, policy_of
from toolmend.toolkit.dialects import DIALECTS
from toolmend.toolkit.hooks import BeforeCall, Listener
from toolmend.toolkit.wire import ModelReply

__all__ = ("ChatAgentConfig", "NoTool", "ToolModeName")

NoTool: TypeAlias = Callable[[ModelReply], object]
"""Says what a model is told that made no attempt at a call."""

ToolModeName: TypeAlias = Literal["use_tools", "use_functions_api", "use_tools_api"]
"""How tools reach the model: as text in the prompt, as legacy functions, or as tools of the API."""

MODES: tuple[ToolModeName, ...] = ("use_tools", "use_functions_api", "use_tools_api")


class ChatAgentConfig(Settings):
    """How an agent asks its model, and how it reads the answers.

    Exactly one of `use_tools`, `use_functions_api` and `use_tools_api` is true; giving one of the first two turns the
    last one, which is the default, off.

    Attributes:
        llm: the model: settings such as `OpenAIConfig`, or a client.
        system_message: what the model is told first.
        use_tools: tools are described in the system message, and the model writes its calls as text.
        use_functions_api: tools go out as the older `functions` of Chat Completions.
        use_tools_api: tools go out as `tools` of Chat Completions.
        dialect: the form of calls that `use_tools` asks for; one of `toolmend.toolkit.DIALECTS`.
        chat_context_length: the tokens that the model's window has; None if that is not known, then nothing is fitted
            to it until the server says so.
        max_output_tokens: the longest answer asked for, in tokens; None leaves it to the server.
        min_output_tokens: the shortest that is still worth asking for when the conversation is long.
        context_overflow_strategy: what makes a conversation shorter that does not fit: `truncate`, `drop_turns`,
            `clear_tool_results`, or one's own.
        context_overflow_fallback: what goes on where that was not enough.
        context_buffer_tokens: tokens that are kept free when something is shortened, because counts are not exact.
        token_counter: counts tokens in place of the model's own vocabulary.
        max_result_tokens: the longest result of a tool that the model is told, for tools that do not state it.
        max_retained_tokens: how much is kept of one once the model has answered it, for tools that do not state it.
        handle_llm_no_tool: what the model is told where it made no attempt at a call: nothing, a text, or what a
            function of its reply returns, sync or async: None, a text, or a `Done`, which ends the run.
        approve: asked before each call runs, sync or async: True or None lets it run, False or a `Deny` refuses it, an
            `Edit` gives it other arguments, a `Defer` lets it wait.
        listener: told what was read out of each reply, before any call runs: a `RepairLog`, or a function of one
            `ParseResult`.
        policy: which repairs of a faulty call are allowed; a policy, or `strict`, `lossless` or `default`.
        infer_tool_name: whether a call without a name may be given the one tool that it fits.
        budgets: how many faulty calls a run puts up with.
    """

    llm: SkipValidation[LLMConfig | LLMClient]
    system_message: str | None = None
    use_tools: bool = False
    use_functions_api: bool = False
    use_tools_api: bool = True
    dialect: str = "json"
    chat_context_length: int | None = Field(default=None, ge=1)
    max_output_tokens: int | None = Field(default=1024, ge=1)
    min_output_tokens: int = Field(default=MIN_OUTPUT_TOKENS, ge=1)
    context_overflow_strategy: SkipValidation[StrategyName | HistoryStrategy] = "truncate"
    context_overflow_fallback: SkipValidation[StrategyName | HistoryStrategy | None] = None
    context_buffer_tokens: int = Field(default=BUFFER_TOKENS, ge=0)
    token_counter: SkipValidation[TokenCounter | None] = None
    max_result_tokens: int | None = Field(default=None, ge=1)
    max_retained_tokens: int | None = Field(default=None, ge=1)
    handle_llm_no_tool: SkipValidation[str | NoTool | None] = None
    approve: SkipValidation[BeforeCall | None] = None
    listener: SkipValidation[Listener | None] = None
    policy: RepairPolicy = DEFAULT
    infer_tool_name: bool = False
    budgets: Budgets = Field(default_factory=Budgets)

    @property
    def tool_mode(self) -> ToolModeName:
        """The name of the one field that says how tools reach the model."""
        return next(name for name in MODES if getattr(self, name))

    def create_client(self) -> LLMClient:
        """Give the client that the agent speaks through."""
        return self.llm.create_client() if isinstance(self.llm, LLMConfig) else self.llm

    @field_validator("llm")
    @classmethod
    def _check_llm(cls, llm: object) -> object:
        if isinstance(llm, type) or not isinstance(llm, (LLMClient, LLMConfig)):
            raise ValueError(f"settings such as OpenAIConfig(...), or a client, are needed, not {llm!r:.80}")  # noqa: TRY004 - pydantic wants it
        return llm

    @field_validator("dialect")
    @classmethod
    def _check_dialect(cls, dialect: str) -> str:
        if dialect not in DIALECTS:
            raise ValueError(f"no dialect {dialect!r} is known; there are: {', '.join(sorted(DIALECTS))}")
        return dialect

    @field_validator("context_overflow_strategy", "context_overflow_fallback")
    @classmethod
    def _check_strategy(cls, strategy: object, info: ValidationInfo) -> object:
        if strategy is not None:
            strategy_of(cast("HistoryStrategy", strategy), str(info.field_name))
        return strategy

    @field_validator("token_counter")
    @classmethod
    def _check_counter(cls, counter: object) -> object:
        if counter is not None and (isinstance(counter, type) or not isinstance(counter, TokenCounter)):
            raise ValueError(f"an object with the methods `count` and `head` is needed, got {counter!r:.80}")
        return counter

    @field_validator("approve", "handle_llm_no_tool", "listener")
    @classmethod
    def _check_function(cls, given: object, info: ValidationInfo) -> object:
        is_text = info.field_name == "handle_llm_no_tool" and isinstance(given, str)
        if given is not None and not is_text and (isinstance(given, type) or not callable(given)):
            wanted = "a text or a function" if info.field_name == "handle_llm_no_tool" else "a function"
            raise ValueError(f"{wanted} is needed, got {given!r:.80}")
        return given

    @field_validator("policy", mode="before")
    @classmethod
    def _read_policy(cls, policy: PolicyLike) -> RepairPolicy:
        try:
            return policy_of(policy)
        except UsageError as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _settle_mode(self) -> ChatAgentConfig:
        if "use_tools_api" not in self.model_fields_set and (self.use_tools or self.use_functions_api):
            object.__setattr__(self, "use_tools_api", False)  # it is frozen from here on
        chosen = [name for name in MODES if getattr(self, name)]
        if len(chosen) != 1:
            given = " and ".join(chosen) if chosen else "none"
            raise ConfigError(
                f"ChatAgentConfig: exactly one of {', '.join(MODES)} must be true, not {given}", fields=MODES
            )
        return self
