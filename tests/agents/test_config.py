from __future__ import annotations

from typing import Any

import pytest

from toolmend.agents import Budgets, ChatAgentConfig, ConfigError, OpenAIConfig, ScriptedClient
from toolmend.repairs.policy import STRICT

CLIENT = ScriptedClient([])


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        ({}, "use_tools_api"),
        ({"use_tools": True}, "use_tools"),
        ({"use_functions_api": True}, "use_functions_api"),
        ({"use_tools_api": True}, "use_tools_api"),
        ({"use_tools": True, "use_tools_api": False}, "use_tools"),
    ],
)
def test_giving_one_mode_turns_the_default_off(given: dict[str, Any], mode: str) -> None:
    """Exactly one of the three is true in the end."""
    config = ChatAgentConfig(llm=CLIENT, **given)
    assert config.tool_mode == mode
    assert sum((config.use_tools, config.use_functions_api, config.use_tools_api)) == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"use_tools_api": False}, "not none"),
        ({"use_tools": True, "use_functions_api": True}, "not use_tools and use_functions_api"),
        ({"use_tools": True, "use_tools_api": True}, "not use_tools and use_tools_api"),
    ],
)
def test_two_modes_or_none_are_a_mistake(given: dict[str, Any], told: str) -> None:
    """The error names the three fields and says what was given."""
    with pytest.raises(ConfigError, match="exactly one of use_tools, use_functions_api, use_tools_api") as caught:
        ChatAgentConfig(llm=CLIENT, **given)
    assert told in str(caught.value)
    assert caught.value.fields == ("use_tools", "use_functions_api", "use_tools_api")


@pytest.mark.parametrize(("value", "mode"), [("true", "use_tools"), ("false", "use_tools_api")])
def test_the_mode_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, value: str, mode: str) -> None:
    """What is not given is read from `TOOLMEND_...`."""
    monkeypatch.setenv("TOOLMEND_USE_TOOLS", value)
    assert ChatAgentConfig(llm=CLIENT).tool_mode == mode


@pytest.mark.parametrize("llm", [3, "gpt", None, OpenAIConfig, ScriptedClient])
def test_something_that_is_no_model_is_named(llm: object) -> None:
    """A class in place of its instance is a mistake, too."""
    with pytest.raises(ConfigError, match=r"ChatAgentConfig\.llm: settings such as OpenAIConfig\(\.\.\.\)") as caught:
        ChatAgentConfig(llm=llm)
    assert caught.value.fields == ("llm",)


@pytest.mark.parametrize(
    ("given", "field"),
    [({"max_output_tokens": 0}, "max_output_tokens"), ({"usetools": True}, "usetools"), ({"budgets": 3}, "budgets")],
)
def test_a_bad_setting_is_named(given: dict[str, Any], field: str) -> None:
    """An error of the settings says which field is wrong."""
    with pytest.raises(ConfigError, match=rf"ChatAgentConfig\.{field}"):
        ChatAgentConfig(llm=CLIENT, **given)


def test_a_client_is_taken_as_it_is_and_settings_make_one() -> None:
    """Both forms of a model do."""
    assert ChatAgentConfig(llm=CLIENT).create_client() is CLIENT
    made = ChatAgentConfig(llm=OpenAIConfig(model="m")).create_client()
    assert made is not ChatAgentConfig(llm=OpenAIConfig(model="m")).create_client()


def test_a_policy_may_be_given_by_its_name() -> None:
    """As elsewhere, and a wrong one is an error that names the field."""
    by_name: Any = "strict"
    assert ChatAgentConfig(llm=CLIENT, policy=by_name).policy is STRICT
    lax: Any = "lax"
    with pytest.raises(ConfigError, match=r"ChatAgentConfig\.policy: policy must be a RepairPolicy, or one of"):
        ChatAgentConfig(llm=CLIENT, policy=lax)


def test_settings_hold_policies_and_budgets() -> None:
    """They are kept as they are given."""
    budgets = Budgets(total=2)
    config = ChatAgentConfig(llm=CLIENT, policy=STRICT, budgets=budgets)
    assert (config.policy, config.budgets) == (STRICT, budgets)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"sytem_message": "Hi."},
            "ChatAgentConfig.sytem_message: there is no such setting; did you mean system_message?",
        ),
        ({"qqq": 1}, "ChatAgentConfig.qqq: there is no such setting; there are llm, system_message, use_tools, "),
    ],
)
def test_a_misspelt_setting_tells_the_one_that_is_meant(given: dict[str, Any], told: str) -> None:
    """Or all that there are, if none is like it."""
    with pytest.raises(ConfigError) as caught:
        ChatAgentConfig(llm=CLIENT, **given)
    assert str(caught.value).startswith(told)
    assert caught.value.fields == tuple(given)


def test_the_answer_to_words_may_be_a_text_or_a_function() -> None:
    """The error says so."""
    number: Any = 5
    with pytest.raises(
        ConfigError, match=r"ChatAgentConfig\.handle_llm_no_tool: a text or a function is needed, got 5"
    ):
        ChatAgentConfig(llm=CLIENT, handle_llm_no_tool=number)
