"""Documents as passages: text out of files, cut at headings and paragraphs into pieces that stand alone."""

import re
from io import BytesIO
from pathlib import Path

from recollect.errors import InvalidInput, ModelMissing

MAX_BYTES = 20_000_000
TARGET = 800
"""About so many characters a passage: a few paragraphs, one thought."""
LONGEST = 1_200
SUFFIXES = (".md", ".markdown", ".txt", ".text", ".rst", ".pdf")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


def text_in(path: Path, content: bytes) -> str:
    """The text of a file; InvalidInput says why it has none."""
    if path.suffix.lower() == ".pdf":
        return _pdf(content)
    if b"\0" in content:
        raise InvalidInput("it is not a text (it has NUL bytes)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"it is not UTF-8 (byte {error.start})") from None


def passages(text: str) -> list[str]:
    """A text in pieces, in order; each begins with the heading it stands under."""
    pieces: list[str] = []
    heading = held = ""
    for paragraph in _PARAGRAPH.split(text.replace("\r\n", "\n")):
        block = paragraph.strip()
        first, _, rest = block.partition("\n")
        title = _HEADING.fullmatch(first)
        if title is not None:
            pieces += [held] if held else []
            heading, held, block = title[1], "", rest.strip()
        for part in _parts(block):
            if held and len(held) + len(part) > TARGET:
                pieces.append(held)
                held = ""
            held = f"{held}\n\n{part}" if held else f"{heading}\n\n{part}" if heading else part
    return [*pieces, held] if held else pieces


def _parts(block: str) -> list[str]:
    """A paragraph whole, or where it is too long in runs of sentences, and at worst in cuts."""
    if len(block) <= LONGEST:
        return [block] if block else []
    parts: list[str] = []
    held = ""
    for sentence in _SENTENCE.split(block):
        for start in range(0, len(sentence), LONGEST):
            piece = sentence[start : start + LONGEST]
            if held and len(held) + len(piece) > TARGET:
                parts.append(held)
                held = ""
            held = f"{held} {piece}".strip()
    return [*parts, held] if held else parts


def _pdf(content: bytes) -> str:
    """The text of a PDF, page after page."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ModuleNotFoundError:
        raise ModelMissing("reading PDF needs the pdf extra: pip install 'recollect[pdf]'") from None
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong is reported by us, once
    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(content)).pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise InvalidInput(f"it is not a PDF that can be read ({type(error).__name__})") from None
    text = "\n\n".join(pages).replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if not text.strip():
        raise InvalidInput("it has no text: perhaps its pages are pictures")
    return text
