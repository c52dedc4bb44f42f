"""The base of all settings: environment variables as defaults, errors that name the field."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from toolmend.agents.errors import ConfigError, MissingExtraError

try:
    from pydantic_settings import BaseSettings, SettingsConfigDict
except ModuleNotFoundError as error:
    raise MissingExtraError("pydantic-settings", extra="agents") from error


class Settings(BaseSettings):
    """Settings that are given by hand, or else by an environment variable `TOOLMEND_<FIELD>`."""

    model_config = SettingsConfigDict(
        arbitrary_types_allowed=True,
        env_prefix="TOOLMEND_",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,  # a key must not end in a log
        protected_namespaces=(),
    )

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - any field of any subclass
        """Validate the values.

        Args:
            **values: the fields.

        Raises:
            ConfigError: a value cannot be used, or a field does not exist; the message names it.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError.of(type(self).__name__, error, type(self).model_fields) from error
