"""Secrets leave the text; everything that only looks like one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.redact import redact

B62 = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow==\n-----END RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("AKIA" + "IOSFODNN7EXAMPLE", "aws key"),
        ("ghp_" + B62, "github token"),
        ("glpat-" + B62[:20], "gitlab token"),
        ("xoxb-" + "123456789012-abcdefABCDEF", "slack token"),
        ("sk_live_" + B62[:24], "stripe key"),
        ("sk-ant-" + "api03-" + B62, "anthropic key"),
        ("sk-" + B62, "openai key"),
        ("sk-proj-" + B62, "openai key"),
        ("AIza" + B62[:35], "google key"),
        ("npm_" + B62, "npm token"),
        ("hf_" + B62, "hugging face token"),
        ("eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + B62, "jwt"),
        (KEY, "private key"),
        ("4111 1111 1111 1111", "card number"),
        ("5500-0055-5555-5559", "card number"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("GB82WEST12345698765432", "iban"),
    ],
)
def test_known_shapes_are_taken_out(secret: str, kind: str) -> None:
    result = redact(f"Here it is: {secret} , keep it safe")
    assert result.text == f"Here it is: [redacted: {kind}] , keep it safe"
    assert [s.kind for s in result.found] == [kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password: hunter2!", "password: [redacted: password]!"),
        ("my password is hunter2.", "my password is [redacted: password]."),
        ("pwd=correcthorse", "pwd=[redacted: password]"),
        ("PIN: 4921", "PIN: [redacted: password]"),
        ('"password": "pa ss"', '"password": "[redacted: password]"'),
        (
            "postgres://app:s3cr3t@db.example:5432/x",
            "postgres://app:[redacted: password]@db.example:5432/x",
        ),
        (
            "Authorization: Bearer abcdef0123456789abcdef",
            "Authorization: Bearer [redacted: bearer token]",
        ),
        ("API_KEY=9f8e7d6c5b4a39281706", "API_KEY=[redacted: secret]"),
        ("the api key is 9f8e7d6c5b4aXYZ", "the api key is [redacted: secret]"),
        ("client_secret: 'q8Zk-22_mmP0'", "client_secret: '[redacted: secret]'"),
    ],
)
def test_named_secrets_are_taken_out(text: str, expected: str) -> None:
    assert redact(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "id 123e4567-e89b-12d3-a456-426614174000",
        "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8 and 9fceb02",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "/usr/local/lib/python3.11/site-packages/secretstorage",
        "order 1234567890123456, phone +44 20 7946 0958",
        "max_tokens=4096 and token_count: 12345678",
        "My password is hard to remember.",
        "password: str = field()",
        "password = get_password()",
        "password=os.environ['DB_PASSWORD']",
        "password: ********",
        "The secret is to add butter.",
        "The token is expired",
        "Our secret: we love it",
        "pi is 3.14159265358979323846",
        "https://example.com/a:b@c is odd but https://example.com/path is fine",
        "the key is under the mat",
        "2023-01-20 16:04:05.123456",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "unit", ["a", "eyJ", "-eyJ", "sk-", "://", "1 ", "4-", "password", "token=", "AA12 ", "a:", "="]
)
def test_a_megabyte_of_one_thing_is_no_trouble(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(redact(text).text) > 0


def test_an_unfinished_key_block_is_redacted_to_the_end() -> None:
    assert redact(KEY[:40]).text == "[redacted: private key]"


@given(st.text(max_size=300))
def test_what_is_not_found_is_kept_word_for_word(text: str) -> None:
    result = redact(text)
    if not result.found:
        assert result.text == text
    for before, after in zip(result.found, result.found[1:], strict=False):
        assert before.end <= after.start


@given(st.text(alphabet="abcAB12:=-_ @/.", max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
