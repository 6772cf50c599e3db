import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import SettingsError
from recollect.models import registry
from recollect.models.fakes import FakeReranker, HashEmbedder
from recollect.models.options import ModelOptions


def test_fakes_by_name() -> None:
    assert isinstance(registry.embedder("fake:hash-16"), HashEmbedder)
    assert registry.embedder("fake:hash-16").dim == 16
    assert isinstance(registry.reranker("fake:overlap"), FakeReranker)
    assert registry.tokenizer("openai:gpt-4o").name == "o200k"


@pytest.mark.parametrize(
    "spec", ["openai:text-embedding-3-small", "ollama:bge-m3", "static:recollect-256", "fake:hash-8"]
)
def test_the_name_is_the_spec(spec: str) -> None:
    assert registry.embedder(spec).name == spec


@pytest.mark.parametrize("spec", ["openai:gpt-4o", "ollama:llama3.2:1b", "anthropic:claude-x"])
def test_the_name_of_an_llm_is_the_spec(spec: str) -> None:
    assert registry.llm(spec).name == spec


@pytest.mark.parametrize("make", [registry.embedder, registry.reranker, registry.llm])
def test_an_unknown_provider_names_the_known_ones(make) -> None:
    with pytest.raises(SettingsError, match=r"no \w+ provider 'nobody'\. Known: .*, "):
        make("nobody:x")


@pytest.mark.parametrize("spec", ["", "static", "static:", ":x", "fake:hash-0", "fake:other"])
def test_names_that_make_no_sense(spec: str) -> None:
    with pytest.raises(SettingsError):
        registry.embedder(spec)


def test_a_package_can_add_a_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_models.py").write_text(
        "from recollect.models.fakes import HashEmbedder\n"
        "def make(model, options):\n"
        "    return HashEmbedder(int(model) * options.batch)\n"
    )
    folder = tmp_path / "their_models-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: their-models\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[recollect.embedders]\ntheirs = their_models:make\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert registry.embedder("theirs:4", ModelOptions(batch=2)).dim == 8


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(ModelOptions(api_key="secret"))


def test_naming_a_model_loads_nothing_heavy() -> None:
    heavy = "('numpy', 'onnxruntime', 'tokenizers', 'httpx2', 'bpe_openai')"
    code = (
        "import sys\nfrom recollect.models import registry\n"
        "registry.embedder('static:recollect-256'); registry.embedder('openai:x'); registry.llm('openai:x')\n"
        f"registry.tokenizer('gpt-4o')\nprint([name for name in {heavy} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
