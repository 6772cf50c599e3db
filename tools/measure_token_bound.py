"""Check the bound on token counts against tokenizers that are public.

    python tools/measure_token_bound.py --tokenizer FILE... --text FILE...

A tokenizer is a `tokenizer.json` (needs `tokenizers`) or a SentencePiece `.model…` (needs
`sentencepiece`), for example `anthropic/tokenizer.json` of the wheel anthropic==0.30.0 (Claude 2)
and `mistral_common/data/mistral_instruct_tokenizer_240323.model.v3` of the wheel mistral-common.
Each text file is cut into pieces of about 400 characters at line ends. Printed are, by file, the
tokenizer's tokens for each one of the bound: the mean and the worst piece; over 1.00 is a miss.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from recollect.models.tokens import BoundedTokenizer

PIECE = 400


def counter(path: Path) -> Callable[[str], int]:
    """A function that counts with the tokenizer of that file."""
    if path.suffix == ".json":
        from tokenizers import Tokenizer

        model = Tokenizer.from_file(str(path))
        return lambda text: len(model.encode(text, add_special_tokens=False).ids)
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_file=str(path))
    return lambda text: len(processor.encode(text))


def pieces(text: str) -> Iterator[str]:
    """The text in runs of whole lines, long lines cut."""
    run = ""
    for line in text.splitlines(keepends=True):
        run += line
        while len(run) >= PIECE:
            yield run[:PIECE]
            run = run[PIECE:]
    if run.strip():
        yield run


def main() -> None:
    """Print one line per tokenizer and text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, nargs="+", required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    args = parser.parse_args()
    bound = BoundedTokenizer("unknown").count
    for tokenizer in args.tokenizer:
        count = counter(tokenizer)
        worst_of_all = 0.0
        for path in args.text:
            parts = list(pieces(path.read_text("utf-8", "replace")))
            shares = [count(part) / bound(part) for part in parts]
            worst_of_all = max(worst_of_all, *shares)
            mean = sum(shares) / len(shares)
            print(
                f"{tokenizer.name[:32]:32} {path.name[:24]:24} {len(parts):5}  {mean:.2f}  {max(shares):.2f}"
            )
        print(f"{tokenizer.name[:32]:32} worst {worst_of_all:.2f}")


if __name__ == "__main__":
    main()
