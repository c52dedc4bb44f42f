"""The settings of a chat agent."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field, SkipValidation, field_validator, model_validator

from toolmend.agents._settings import Settings
from toolmend.agents.budgets import Budgets
from toolmend.agents.clients.base import LLMClient, LLMConfig
from toolmend.agents.errors import ConfigError
from toolmend.repairs.errors import UsageError
from toolmend.repairs.policy import DEFAULT, PolicyLike, RepairPolicy, policy_of

__all__ = ("ChatAgentConfig", "ToolModeName")

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
        max_output_tokens: the longest answer asked for, in tokens; None leaves it to the server.
        policy: which repairs of a faulty call are allowed; a policy, or `strict`, `lossless` or `default`.
        infer_tool_name: whether a call without a name may be given the one tool that it fits.
        budgets: how many faulty calls a run puts up with.
    """

    llm: SkipValidation[LLMConfig | LLMClient]
    system_message: str | None = None
    use_tools: bool = False
    use_functions_api: bool = False
    use_tools_api: bool = True
    max_output_tokens: int | None = Field(default=1024, ge=1)
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
