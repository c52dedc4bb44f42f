from __future__ import annotations

import pytest

from toolmend.agents.clients._overflow import Overflow, read_overflow
from toolmend.repairs.record import JsonValue

TOLD = [
    pytest.param(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 10112 tokens. Please "
        "reduce the length of the messages.",
        (8192, 10112),
    ),
    pytest.param(
        "This model's maximum context length is 4097 tokens. However, you requested 5067 tokens (7 in the messages, 60 "
        "in the functions, and 5000 in the completion). Please reduce the length of the messages or completion.",
        (4097, 67),
    ),
    pytest.param(
        "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 "
        "tokens and your request has 120 input tokens (5000 > 4096 - 120).",
        (4096, 120),
    ),
    pytest.param(
        "The decoder prompt (length 5014) is longer than the maximum model length of 4096. Make sure that "
        "`max_model_len` is no smaller than the number of text tokens.",
        (4096, 5014),
    ),
    pytest.param(
        "You passed 5001 input tokens and requested 0 output tokens. However, the model's context length is only 4096 "
        "tokens, resulting in a maximum input length of 4096 tokens. Please reduce the length of the input prompt.",
        (4096, 5001),
    ),
    pytest.param(
        "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it", (8192, 9412)
    ),
    pytest.param("the request exceeds the available context size. try increasing the context size", (None, None)),
    pytest.param("The input (5000 tokens) is longer than the model's context length (4096 tokens).", (4096, 5000)),
    pytest.param(
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of "
        "5000 tokens: 4000 tokens from the input messages and 1000 tokens for the completion.",
        (4096, 4000),
    ),
    pytest.param("the input length exceeds the context length", (None, None)),
    pytest.param(
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context "
        "length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or "
        "provide a shorter input",
        (4096, 5000),
    ),
    pytest.param(
        "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        (32768, 65673),
    ),
    pytest.param("prompt is too long: 208310 tokens > 200000 maximum", (200000, 208310)),
    pytest.param(
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
        (200000, 188240),
    ),
    pytest.param(
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).", (1048576, 1100000)
    ),
    pytest.param(
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", (131072, 537812)
    ),
    pytest.param(
        "This endpoint's maximum context length is 8,192 tokens. However, you requested about 10000 tokens (8500 of "
        "text input, 500 of tool input, 1000 in the output).",
        (8192, 9000),
    ),
    pytest.param(
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and "
        "1000 `max_new_tokens`",
        (4097, 4000),
    ),
    pytest.param("The prompt is too long: 140000, model maximum context length: 131071", (131071, 140000)),
    pytest.param("prompt token count of 128437 exceeds the limit of 128000", (128000, 128437)),
    pytest.param(
        "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        (8192, 9000),
    ),
    pytest.param("Invalid request: Your request exceeded model token limit: 8192", (8192, None)),
    pytest.param("Range of input length should be [1, 30720]", (30720, None)),
    pytest.param(
        "Your input exceeds the context window of this model. Please adjust your input and try again.", (None, None)
    ),
]


@pytest.mark.parametrize(("message", "numbers"), TOLD)
def test_each_server_is_understood(message: str, numbers: tuple[int | None, int | None]) -> None:
    """The window and the length of the prompt are read as far as the server tells them."""
    assert read_overflow(message, {}) == Overflow(*numbers)


@pytest.mark.parametrize(
    ("error", "numbers"),
    [
        ({"code": "context_length_exceeded"}, (None, None)),
        ({"type": "exceed_context_size_error", "n_ctx": 4096, "n_prompt_tokens": 5000}, (4096, 5000)),
        ({"type": "exceed_context_size_error", "n_ctx": True, "n_prompt_tokens": "x"}, (None, None)),
    ],
)
def test_a_code_is_enough(error: dict[str, JsonValue], numbers: tuple[int | None, int | None]) -> None:
    """Where a server has a code for it, or fields for the numbers, its words do not matter."""
    assert read_overflow("no", error) == Overflow(*numbers)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Unknown parameter: 'context'.",
        "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000",
        "max_tokens is too large: 100000. This model supports at most 4096 completion tokens.",
        "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10, got 20 instead.",
        "An assistant message with 'tool_calls' must be followed by tool messages",
    ],
)
def test_other_refusals_are_none(message: str) -> None:
    """A wrong answer would make the agent forget messages for nothing."""
    assert read_overflow(message, {"code": "rate_limit_exceeded"}) is None


def test_a_long_message_is_read_in_linear_time() -> None:
    """An error is foreign text, of any length."""
    assert read_overflow("context length exceeded " + "9" * 1_000_000, {}) == Overflow(None, None)
