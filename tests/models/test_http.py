from itertools import count

import pytest

from model_server import ModelServer, Mood
from recollect.errors import ModelUnavailable, SettingsError
from recollect.models.http import ATTEMPTS, LONGEST_WAIT, Endpoint


def endpoint(server: ModelServer, waits: list[float] | None = None, **options) -> Endpoint:
    return Endpoint(server.url, sleep=(waits if waits is not None else []).append, **options)


def test_a_good_answer_comes_back(server: ModelServer) -> None:
    server.moods = [Mood(body={"fine": True})]
    assert endpoint(server).post("/v1/x", {"a": "ü\ud800"}) == {"fine": True}
    assert server.requests[0].path == "/v1/x"
    assert server.requests[0].body == {"a": "ü\ud800"}
    assert server.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_temporary_failure_is_tried_again_after_growing_pauses(server: ModelServer, status: int) -> None:
    waits: list[float] = []
    server.moods = [Mood(status=status), Mood(status=status), Mood(body={"ok": 1})]
    assert endpoint(server, waits).post("x", {}) == {"ok": 1}
    assert waits == [0.5, 1.0]


def test_a_lasting_failure_is_reported_with_the_words_of_the_service(server: ModelServer) -> None:
    waits: list[float] = []
    server.moods = [Mood(status=500, body={"error": {"message": "out of\nmemory"}})]
    with pytest.raises(ModelUnavailable, match="answered 500: out of memory"):
        endpoint(server, waits).post("x", {})
    assert len(server.requests) == ATTEMPTS
    assert len(waits) == ATTEMPTS - 1


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "soon"}, 0.5),
    ],
)
def test_the_service_says_how_long_to_wait(server: ModelServer, headers: dict[str, str], wait: float) -> None:
    waits: list[float] = []
    server.moods = [Mood(status=429, headers=headers), Mood(body={})]
    endpoint(server, waits).post("x", {})
    assert waits == [wait]


def test_a_date_to_wait_for_is_read_by_the_clock_of_the_service(server: ModelServer) -> None:
    waits: list[float] = []
    # http.server sends its own Date header; far in the past means no wait at all.
    server.moods = [Mood(status=429, headers={"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}), Mood(body={})]
    endpoint(server, waits).post("x", {})
    assert waits == [0.0]


def test_too_long_a_pause_gives_the_work_back(server: ModelServer) -> None:
    waits: list[float] = []
    server.moods = [Mood(status=429, headers={"Retry-After": str(int(LONGEST_WAIT) + 1)})]
    with pytest.raises(ModelUnavailable, match="asks to wait 21 s"):
        endpoint(server, waits).post("x", {})
    assert waits == []
    assert len(server.requests) == 1


def test_silence_ends_in_a_timeout(server: ModelServer) -> None:
    server.moods = [Mood(hangs=True)]
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.05 s \(tried 4 times\)"):
        endpoint(server, timeout=0.05).post("x", {})


def test_an_answer_that_dribbles_in_for_ever_is_given_up(server: ModelServer) -> None:
    ticks = count(0.0, 40.0)
    server.moods = [Mood(body={"slow": "x" * 1000})]
    with pytest.raises(ModelUnavailable, match="did not finish its answer within 30 s"):
        endpoint(server, clock=lambda: next(ticks)).post("x", {})


def test_a_connection_closed_midway_is_tried_again(server: ModelServer) -> None:
    server.moods = [Mood(body={"half": 1}, breaks_off=True), Mood(body={"whole": 1})]
    assert endpoint(server).post("x", {}) == {"whole": 1}


def test_nobody_there(server: ModelServer) -> None:
    gone = ModelServer()
    url = gone.url
    gone._server.server_close()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        Endpoint(url, sleep=lambda _: None).post("x", {})


@pytest.mark.parametrize("body", [b"<html>", b"", b"[1]", b'{"a":', b"\xff\xfe"])
def test_an_answer_that_is_no_json_object_is_no_answer(server: ModelServer, body: bytes) -> None:
    server.moods = [Mood(body=body)]
    with pytest.raises(ModelUnavailable, match="not a JSON object"):
        endpoint(server).post("x", {})


def test_the_key_is_sent_but_never_shown(server: ModelServer) -> None:
    key = "sk-very-secret"
    safe = endpoint(server, headers={"authorization": f"Bearer {key}"}, secret=key)
    server.moods = [
        Mood(status=400, body={"error": {"message": f"bad key {key}"}}),
        Mood(status=401, body={"error": {"message": f"Incorrect API key {key}"}}),
    ]
    with pytest.raises(ModelUnavailable, match=r"bad key \[key\]"):
        safe.post("x", {})
    with pytest.raises(ModelUnavailable, match=r"refused the API key \(401\)") as refused:
        safe.post("x", {})
    assert key not in str(refused.value)
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"


def test_a_redirect_is_not_followed(server: ModelServer) -> None:
    server.moods = [Mood(status=307, headers={"Location": f"{server.url}/elsewhere"})]
    with pytest.raises(ModelUnavailable, match="answered 307"):
        endpoint(server).post("x", {})
    assert [request.path for request in server.requests] == ["/x"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/x", "localhost:11434", "http://", ""])
def test_only_web_addresses_are_called(url: str) -> None:
    with pytest.raises(SettingsError, match="http"):
        Endpoint(url)


@pytest.mark.parametrize("url", ["http://name:word@host/", "https://host/v1?key=1", "https://host/#x"])
def test_an_address_holds_no_secret(url: str) -> None:
    with pytest.raises(SettingsError, match="API key"):
        Endpoint(url)


def test_a_service_that_keeps_failing_is_left_alone_until_the_pause_is_over(server: ModelServer) -> None:
    now = [0.0]
    patient = endpoint(server, clock=lambda: now[0])
    server.moods = [Mood(status=500)]
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="answered 500"):
            patient.post("x", {})
    asked = len(server.requests)
    with pytest.raises(ModelUnavailable, match="left alone"):
        patient.post("x", {})
    assert len(server.requests) == asked
    now[0] = 61.0
    server.moods = [Mood(body={"back": True})]
    assert patient.post("x", {}) == {"back": True}


def test_a_request_the_service_rejects_does_not_count_as_its_failure(server: ModelServer) -> None:
    server.moods = [Mood(status=400)]
    picky = endpoint(server)
    for _ in range(5):
        with pytest.raises(ModelUnavailable, match="answered 400"):
            picky.post("x", {})
