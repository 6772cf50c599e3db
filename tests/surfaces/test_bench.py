"""The bench command on data of the public layouts that the test makes."""

import json
import lzma
from pathlib import Path

import pytest

from recollect.surfaces.cli.app import run

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Jon",
            "speaker_b": "Gina",
            "session_1_date_time": "4:04 pm on 20 January, 2023",
            "session_1": [
                {"speaker": "Jon", "dia_id": "D1:1", "text": "I lost my job as a banker."},
                {"speaker": "Gina", "dia_id": "D1:2", "text": "Sorry!", "blip_caption": "a sad cat"},
            ],
            "session_2_date_time": "1:00 pm on 2 February, 2023",
            "session_2": [{"speaker": "Gina", "dia_id": "D2:1", "text": "My cat is called Biscuit."}],
        },
        "qa": [
            {"question": "What job did Jon lose?", "evidence": ["D1:1"], "category": 4, "answer": "banker"},
            {"question": "What is the cat called?", "evidence": ["D2:1; D1:2"], "category": 1, "answer": "B"},
            {"question": "Who is the king?", "evidence": [], "category": 5},
        ],
    }
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "locomo_mine").mkdir()
    (tmp_path / "locomo_mine" / "some.json").write_text(json.dumps(LOCOMO))
    folder = tmp_path / "longmemeval_mine"
    folder.mkdir()
    sessions = [
        {"id": "s1", "turns": [{"role": "user", "text": "I bought a red bike", "has_answer": True}]},
        {"id": "s2", "turns": [{"role": "user", "text": "The weather is fine"}]},
    ]
    with lzma.open(folder / "sessions.jsonl.xz", "wt") as file:
        file.write("\n".join(map(json.dumps, sessions)))
    question = {
        "id": "q1",
        "type": "single-session-user",
        "abstain": False,
        "question": "Which colour is my bike?",
        "asked_at": "2023/11/10 (Fri) 04:20",
        "answer": "red",
        "gold_sessions": ["s1"],
        "haystack": [["s1", "2023/05/11 (Thu) 02:02"], ["s2", "2023/06/15 (Thu) 22:28"]],
    }
    (folder / "questions.jsonl").write_text(json.dumps(question))
    return tmp_path


@pytest.mark.parametrize("protocol", ["locomo", "longmemeval"])
def test_a_protocol_runs_on_any_folder(data: Path, protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    receipts = data / "receipts.json"
    line = ["bench", protocol, "--data", str(data), "--embedder", "fake:hash-64", "--json", str(receipts)]
    assert run(line) == 0
    table = capsys.readouterr().out
    for system in ("recollect (default)", "BM25", "dense", "RRF"):
        assert system in table
    ours = [r for r in json.loads(receipts.read_text()) if r["system"] == "recollect (default)"]
    assert len(ours) == {"locomo": 2, "longmemeval": 1}[protocol]
    assert all(r["ranked"] and r["gold"] and len(r["scores"]) == len(r["ranked"]) for r in ours)
    assert ours[0]["ranked"][0] in ("D1:1", "s1/0")


def test_missing_data_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "locomo"]) == 2
    assert "--data FOLDER" in capsys.readouterr().err
    assert run(["bench", "longmemeval", "--data", str(tmp_path)]) == 2
    assert "questions.jsonl" in capsys.readouterr().err
