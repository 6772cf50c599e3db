"""Settings: the only reader of the environment and the config file.

What is passed in code wins over the environment (`RECOLLECT_…`), which wins over the config file, which
wins over the defaults below. `docs/settings.md` lists them all; a test keeps it true.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from recollect.errors import SettingsError

PREFIX = "RECOLLECT_"


def _setting(default: Any, help: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"help": help, "secret": secret})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be configured, with its default."""

    db: str = _setting(
        "",
        "Where the memory lives: a path, a postgresql:// URL or the http:// address of a server. "
        "Empty: a file in your data folder.",
    )
    tenant: str = _setting("default", "The tenant: a wall between customers of one database.")
    view: str = _setting(
        "user:me",
        "The spaces to see, comma-separated, most specific first; writes go to the first.",
    )
    embedder: str = _setting(
        "auto",
        "The embedder as 'provider:name'. auto: what the memory already uses, else the best installed.",
    )
    recent_window: int = _setting(20, "How many messages of a conversation a context carries word for word.")
    chunk_size: int = _setting(10, "How many old messages one chunk summarises.")
    max_chunks: int = _setting(10, "From how many chunks on the oldest merge into bigger ones.")
    promote_at: float = _setting(0.6, "From this confidence on, what was learnt is believed at once.")
    project_file: str = _setting("memory.md", "The project's memory file; relative to the current folder.")
    idle_hours: float = _setting(24.0, "A conversation left open for so many hours is ended.")
    max_episodes: int = _setting(500, "How many episodes of a space stay awake; upkeep archives the rest.")
    forget_after_days: float = _setting(
        90.0, "Upkeep forgets what was superseded and not used for so many days."
    )
    llm: str = _setting("", "The LLM as 'provider:name', such as 'ollama:llama3.2'. Empty: none is asked.")
    energy_capacity: int = _setting(200_000, "How many tokens of LLM work may be spent before it waits.")
    energy_refill: int = _setting(50_000, "How many of these tokens come back in an hour.")
    base_url: str = _setting("", "Base URL of an HTTP model provider (OpenAI-compatible or Ollama).")
    key: str = _setting("", "The key of a recollect server, where `db` is its http:// address.", secret=True)
    api_key: str = _setting("", "Key of an HTTP model provider.", secret=True)
    model_timeout: float = _setting(30.0, "Seconds to wait for a model before the work is left for a retry.")
    max_body: int = _setting(2_000_000, "Bytes that one request to `recollect serve` may have.")
    rate_limit: float = _setting(100.0, "Requests a second that a server takes from one key; 0: any number.")
    bench_data: str = _setting("", "The folder with evaluation data for `recollect bench` and bench/.")


def load(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """The settings in force: what is given, else the environment, else the config file, else defaults."""
    env = os.environ if environment is None else environment
    merged: dict[str, Any] = _from_file(env)
    for spec in fields(Settings):
        name = PREFIX + spec.name.upper()
        if env.get(name):
            merged[spec.name] = env[name]
    merged.update({name: value for name, value in given.items() if value is not None})
    return Settings(**{name: _typed(name, value) for name, value in merged.items()})


def names_server(where: str | Path | None) -> bool:
    """Whether a place, or the one that is set, is the address of a server."""
    return str(load().db if where is None else where).startswith(("http://", "https://"))


def default_path() -> Path:
    """The file that is used when no other is named."""
    import platformdirs

    return Path(platformdirs.user_data_dir("recollect", appauthor=False)) / "memory.db"


def _from_file(env: Mapping[str, str]) -> dict[str, Any]:
    named = env.get(PREFIX + "CONFIG")
    path = (
        Path(named)
        if named
        else Path(env.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "recollect.toml"
    )
    if not path.is_file():
        if named:
            raise SettingsError(f"{PREFIX}CONFIG names {named}, which is not a file")
        return {}
    import tomllib

    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    known = {spec.name for spec in fields(Settings)}
    unknown = sorted(found.keys() - known)
    if unknown:
        raise SettingsError(f"{path}: unknown setting {unknown[0]!r}; known are: {', '.join(sorted(known))}")
    return found


def _typed(name: str, value: Any) -> Any:
    default: Any = next(spec.default for spec in fields(Settings) if spec.name == name)
    try:
        return type(default)(value)
    except (TypeError, ValueError):
        raise SettingsError(f"setting {name} must be a {type(default).__name__}, not {value!r}") from None
