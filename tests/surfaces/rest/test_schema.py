"""schemathesis against the live server: no 5xx, and every answer is as the OpenAPI document says."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from served import Served

CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
]
EXAMPLES = {GenerationMode.POSITIVE: 6, GenerationMode.NEGATIVE: 2}


@schemathesis.serializer("application/x-ndjson")
def lines(_: schemathesis.SerializationContext, value: object) -> bytes:
    return str(value).encode("utf-8", "replace")


@pytest.mark.hypothesis
def test_answers_are_as_documented(shared: Served) -> None:
    key = shared.key("user:alex", "*", tenant="fuzzed")
    schema = schemathesis.openapi.from_url(f"{shared.url}/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode, examples in EXAMPLES.items():

            @settings(
                max_examples=examples,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: schemathesis.Case) -> None:
                nonlocal tried
                tried += 1
                case.call_and_validate(
                    base_url=shared.url, headers={"Authorization": f"Bearer {key}"}, checks=CHECKS, timeout=30
                )

            ask()
    assert tried > 200
