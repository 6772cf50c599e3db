import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.models.tokens import _backend, tokenizer_for

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("o200k", "o200k"),
        ("o200k_base", "o200k"),
        ("gpt-4o", "o200k"),
        ("gpt-4o-mini-2024-07-18", "o200k"),
        ("openai:gpt-4.1-nano", "o200k"),
        ("gpt-5.2-codex", "o200k"),
        ("o3-mini", "o200k"),
        ("openai/gpt-oss-20b", "o200k"),
        ("ollama:gpt-oss:20b", "o200k"),
        ("ft:gpt-4o-mini:mine::abc", "o200k"),
        ("cl100k", "cl100k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo-2024-04-09", "cl100k"),
        ("GPT-3.5-turbo-16k", "cl100k"),
        ("text-embedding-3-small", "cl100k"),
    ],
)
def test_models_of_openai_are_counted_exactly(model: str, name: str) -> None:
    tokenizer = tokenizer_for(model)
    assert (tokenizer.name, tokenizer.exact) == (name, True)


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5", "ollama:llama3.2:1b", "gpt-4-x-alpaca", "my-gpt-4", "o3d"]
)
def test_other_models_are_bounded(model: str) -> None:
    tokenizer = tokenizer_for(model)
    assert (tokenizer.name, tokenizer.exact) == (model, False)


def test_no_model_is_a_mistake() -> None:
    with pytest.raises(InvalidInput):
        tokenizer_for(" ")


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [  # as tiktoken counts them
        ("", 0, 0),
        ("hello world", 2, 2),
        ("hello <|endoftext|> world", 9, 8),
        ("Ünïcödé 漢字 🎉", 10, 14),
        ("    def f(x):\n        return x\n", 9, 9),
        ("1234567890", 4, 4),
    ],
)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert tokenizer_for("o200k").count(text) == o200k
    assert tokenizer_for("cl100k").count(text) == cl100k


@given(TEXT)
def test_any_text_can_be_counted(text: str) -> None:
    exact = tokenizer_for("o200k").count(text)
    assert 0 <= exact <= len(text.encode())
    assert (exact == 0) == (text == "")
    assert tokenizer_for("claude-x").count(text) >= 2 * exact


PIECES = st.sampled_from(
    [*"\n\n\n /-.:[]'abz9\t\r\x0b\x1c\x85\u2028\u3000\u0301漢é🎉", "\r\n", "\n\n", "'s", "- [m001] "]
)


@settings(max_examples=1_000)
@given(st.one_of(TEXT, st.lists(PIECES, max_size=60).map("".join)), st.sampled_from(["o200k", "cl100k"]))
def test_lines_counted_one_by_one_add_up(text: str, name: str) -> None:
    whole = _backend().tokenizer_for_encoding(f"{name}_base").count(text)
    assert tokenizer_for(name).count(text) == whole


def test_a_lone_surrogate_is_counted_as_what_would_be_sent() -> None:
    assert tokenizer_for("o200k").count("a\ud800b") == tokenizer_for("o200k").count("a?b")


@pytest.mark.parametrize("sign", ["9", "\n", "\t", "-", "\ufffd", " "])
def test_what_others_may_not_merge_is_counted_one_by_one(sign: str) -> None:
    assert tokenizer_for("o200k").count(sign * 300) <= 100
    assert tokenizer_for("mistral-small").count(sign * 300) >= 300


@pytest.mark.parametrize("text", ["a" * 100_000, " " * 100_000, "word " * 20_000, "é漢🎉" * 11_000])
def test_big_texts_are_counted(text: str) -> None:
    assert 0 < tokenizer_for("o200k").count(text) <= len(text.encode())
