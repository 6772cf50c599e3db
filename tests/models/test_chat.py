from dataclasses import dataclass

import pytest

from model_server import ModelServer, Mood
from recollect.errors import ModelUnavailable
from recollect.models import registry
from recollect.models.chat import OpenAIChat
from recollect.models.http import Endpoint
from recollect.models.llm import LLM, Prompt, ask, say
from recollect.models.options import ModelOptions


@dataclass(frozen=True, slots=True)
class City:
    name: str


PROMPT = Prompt(system="You know cities.", user="Which one?", purpose="guess", max_tokens=50)
PROVIDERS = ["openai", "anthropic"]


def model(server: ModelServer, provider: str) -> LLM:
    options = ModelOptions(base_url=server.url, api_key="k", timeout=5)
    return registry.llm(f"{provider}:some-model", options)


def said(provider: str, text: object, reason: str = "", **message: object) -> Mood:
    if provider == "anthropic":
        content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
        usage = {"input_tokens": 11, "output_tokens": 3}
        return Mood(body={"content": content, "stop_reason": reason or "end_turn", "usage": usage})
    choice = {"message": {"content": text, **message}, "finish_reason": reason or "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 3}
    return Mood(body={"choices": [choice], "usage": usage})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_text_and_cost(server: ModelServer, provider: str) -> None:
    server.moods = [said(provider, "Oslo")]
    completion = model(server, provider).complete(PROMPT)
    assert (completion.text, completion.tokens_in, completion.tokens_out) == ("Oslo", 11, 3)
    assert completion.trouble is None


def test_what_openai_is_sent(server: ModelServer) -> None:
    server.moods = [said("openai", '{"name": "Oslo"}')]
    assert ask(model(server, "openai"), PROMPT, City) == City("Oslo")
    (request,) = server.requests
    assert request.path == "/chat/completions"
    assert request.headers["authorization"] == "Bearer k"
    assert request.body["model"] == "some-model"
    assert request.body["max_tokens"] == 50
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert request.body["response_format"]["json_schema"]["schema"]["required"] == ["name"]


def test_a_service_that_cannot_enforce_a_schema_is_asked_without(server: ModelServer) -> None:
    refusal = {"error": {"message": "response_format type json_schema is unavailable"}}
    server.moods = [Mood(status=400, body=refusal), said("openai", '{"name": "Oslo"}')]
    llm = model(server, "openai")
    assert ask(llm, PROMPT, City) == City("Oslo")
    assert ask(llm, PROMPT, City) == City("Oslo")
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


def test_what_anthropic_is_sent(server: ModelServer) -> None:
    tool = {"type": "tool_use", "name": "answer", "input": {"name": "Oslo"}}
    server.moods = [Mood(body={"content": [tool], "stop_reason": "tool_use"})]
    assert ask(model(server, "anthropic"), PROMPT, City) == City("Oslo")
    (request,) = server.requests
    assert request.path == "/messages"
    assert request.headers["x-api-key"] == "k"
    assert request.headers["anthropic-version"]
    assert request.body["system"].startswith("You know cities.")
    assert request.body["messages"] == [{"role": "user", "content": "Which one?"}]
    assert request.body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert request.body["tools"][0]["input_schema"]["required"] == ["name"]


def test_ollama_is_reached_by_its_openai_address(server: ModelServer) -> None:
    server.moods = [said("openai", "Oslo")]
    llm = registry.llm("ollama:llama3.2:1b", ModelOptions(base_url=server.url))
    assert say(llm, PROMPT) == "Oslo"
    assert llm.name == "ollama:llama3.2:1b"
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body["model"] == "llama3.2:1b"


def test_a_service_that_does_not_tell_the_cost_is_counted_for(server: ModelServer) -> None:
    server.moods = [Mood(body={"choices": [{"message": {"content": "Oslo"}}]})]
    completion = model(server, "openai").complete(PROMPT)
    assert completion.tokens_in >= 6
    assert completion.tokens_out >= 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("trouble", "complaint"),
    [("empty", "gave an empty answer"), ("refusal", "refused to answer"), ("cut", "cut off")],
)
def test_a_useless_answer_is_paid_for_but_not_used(
    server: ModelServer, provider: str, trouble: str, complaint: str
) -> None:
    cut = {"openai": "length", "anthropic": "max_tokens"}[provider]
    server.moods = [
        {
            "empty": said(provider, " "),
            "refusal": said(provider, "No.", "refusal", refusal="No."),
            "cut": said(provider, "Os", cut),
        }[trouble]
    ]
    llm = model(server, provider)
    completion = llm.complete(PROMPT)
    assert (completion.tokens_in, completion.tokens_out) == (11, 3)
    with pytest.raises(ModelUnavailable, match=rf"{llm.name} .*{complaint}.*\(guess\)"):
        say(llm, PROMPT)


def test_a_filtered_answer_is_a_refusal(server: ModelServer) -> None:
    server.moods = [said("openai", "", "content_filter")]
    with pytest.raises(ModelUnavailable, match="refused"):
        say(model(server, "openai"), PROMPT)


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("openai", "This model's maximum context length is 8192 tokens."),
        ("openai", "request (5016 tokens) exceeds the available context size (2048 tokens)"),
        ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum"),
    ],
)
def test_a_prompt_that_does_not_fit(server: ModelServer, provider: str, message: str) -> None:
    server.moods = [Mood(status=400, body={"error": {"message": message}})]
    with pytest.raises(ModelUnavailable, match="prompt is too long for the model"):
        say(model(server, provider), PROMPT)
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [1]}, {"choices": [{}]}, {"content": 1}])
def test_an_answer_without_a_message(server: ModelServer, provider: str, body: object) -> None:
    server.moods = [Mood(body=body)]
    with pytest.raises(ModelUnavailable, match="without a message"):
        say(model(server, provider), PROMPT)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_text_that_is_no_text(server: ModelServer, provider: str) -> None:
    server.moods = [said(provider, 5)]
    with pytest.raises(ModelUnavailable, match="empty"):
        say(model(server, provider), PROMPT)


def test_broken_json_then_good(server: ModelServer) -> None:
    server.moods = [said("openai", '{"name": '), said("openai", '{"name": "Oslo"}')]
    assert ask(model(server, "openai"), PROMPT, City) == City("Oslo")
    assert "not valid JSON" in server.requests[1].body["messages"][1]["content"]


def test_a_closed_connection_and_a_busy_service_are_survived(server: ModelServer) -> None:
    server.moods = [
        Mood(body={}, breaks_off=True),
        Mood(status=429, headers={"Retry-After": "7"}),
        said("openai", "Oslo"),
    ]
    waits: list[float] = []
    llm = OpenAIChat("openai:some-model", "some-model", Endpoint(server.url, sleep=waits.append))
    assert say(llm, PROMPT) == "Oslo"
    assert waits == [0.5, 7.0]
