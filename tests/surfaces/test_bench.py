"""The bench command on data of the public layouts that the test makes."""

import json
import lzma
from pathlib import Path
from typing import Any

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


FACTS = [
    "Chanel was founded by Coco Chanel.",
    "Hines Ward plays the position of wide receiver.",
    "Chanel was founded by Andy Warhol.",
    "Lisa Leslie plays the position of center.",
]


@pytest.fixture
def more(data: Path) -> Path:
    """The rest of the public layout, in folders of other names and with other content."""
    (data / "fact_updates_mine").mkdir()
    question = {"question": "Who founded Chanel?", "answers": ["Andy Warhol"]}
    lists = {"name": "some_sh_list", "facts": FACTS, "questions": [question]}
    (data / "fact_updates_mine" / "facts.jsonl").write_text(json.dumps(lists) + "\n")
    (data / "contradiction_mine").mkdir()
    pairs = [
        {"a": "A man sleeps.", "b": "A man does not sleep.", "label": "contradiction", "set": "X"},
        {"a": "A man sleeps.", "b": "A person sleeps.", "label": "entailment", "set": "X"},
        {"a": "A man sleeps.", "b": "A man is not old.", "label": "not_entailment", "set": "X"},
    ]
    (data / "contradiction_mine" / "own.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    (data / "personas_mine").mkdir()
    talk = {
        "personas": {"Ann": ["I have two dogs named Rex and Bo."]},
        "turns": ["Ann: I have two dogs named Rex and Bo.", "Ben: Nice!"],
    }
    (data / "personas_mine" / "conversations.jsonl").write_text(json.dumps(talk))
    told = json.loads((data / "locomo_mine" / "some.json").read_text())
    told[0]["observation"] = {"session_1_observation": {"Jon": [["Jon lost his job as a banker.", "D1:1"]]}}
    (data / "locomo_mine" / "some.json").write_text(json.dumps(told))
    return data


def figures(more: Path, protocol: str, *options: str) -> dict[str, Any]:
    out = more / f"{protocol}.json"
    line = [
        "bench",
        protocol,
        "--data",
        str(more),
        "--embedder",
        "fake:hash-64",
        "--json",
        str(out),
        *options,
    ]
    assert run(line) == 0
    return dict(json.loads(out.read_text()))


def test_contradictions_are_counted(more: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = figures(more, "contradictions")
    assert "Keyed conflicts" in capsys.readouterr().out
    pairs = [row for name, row in made["figures"]["pairs"].items() if name.startswith("own,")]
    assert (sum(r["n"] for r in pairs), sum(r["gold"] for r in pairs)) == (2, 1), (
        "not_entailment says nothing"
    )
    keyed = made["figures"]["keyed"]["some_sh_list"]
    assert (keyed["gold"], keyed["recall"], keyed["precis."]) == (1, 1.0, 1.0)
    store = made["figures"]["store"]["some_sh_list"]
    assert (store["gold"], store["found"], store["recall"]) == (1, 1, 1.0)
    assert len(made["receipts"]) == 2 + keyed["n"]


def test_updates_are_asked_for(more: Path) -> None:
    made = figures(more, "updates")
    assert made["figures"]["some_sh_list"]["rules"] == 1.0
    assert made["figures"]["some_sh_list"]["among 5"] == 1.0


def test_extraction_is_measured(more: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = figures(more, "extraction")
    assert made["personas"]["even"]["facts"] == 1
    assert made["locomo"]["even"]["observations"] == 1
    assert "precision" not in made, "only where there are judged samples"
    assert run(["bench", "extraction", "--data", str(more), "--sample", "1"]) == 0
    assert "kept:" in capsys.readouterr().out


def test_evidence_in_contexts_is_measured(more: Path) -> None:
    made = figures(more, "context", "--only", "locomo", "--every", "2")
    assert set(made) == {"locomo"}
    assert made["locomo"]["8,000 recollect"]["evidence %"] == 100.0
    assert len(made["locomo"]) == 5 * 5


@pytest.mark.parametrize("protocol", ["extraction", "updates", "contradictions", "context"])
def test_folders_without_data_are_said(
    tmp_path: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", protocol, "--data", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_missing_data_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "locomo"]) == 2
    assert "--data FOLDER" in capsys.readouterr().err
    assert run(["bench", "longmemeval", "--data", str(tmp_path)]) == 2
    assert "questions.jsonl" in capsys.readouterr().err
