"""A line chart as an SVG file, with both axes in powers of ten: for how costs grow."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 70, 40, 230, 50
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#475569")

Points = Sequence[tuple[float, float]]


def growth(path: Path, title: str, axes: tuple[str, str], series: Mapping[str, Points]) -> None:
    """Write the chart of some series over one another."""
    every = [point for points in series.values() for point in points]
    wide = _decades([x for x, _ in every])
    high = _decades([y for _, y in every])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (log10(x) - wide[0]) / (wide[-1] - wide[0])
        up = (log10(y) - high[0]) / (high[-1] - high[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [_text(LEFT, 22, title, size=15)]
    for power in wide:
        x, bottom = place(10**power, 10 ** high[0])
        parts += [_line(x, TOP, x, bottom), _text(x, bottom + 18, f"{10**power:,g}", anchor="middle")]
    for power in high:
        left, y = place(10 ** wide[0], 10**power)
        parts += [_line(left, y, WIDTH - RIGHT, y), _text(left - 8, y + 4, f"{10**power:,g}", anchor="end")]
    parts += [_text(WIDTH - RIGHT, HEIGHT - 10, axes[0], anchor="end"), _text(8, TOP - 6, axes[1])]
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        parts.append(f'<polyline points="{told}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = place(*points[-1])
        parts.append(_text(x + 8, y + 4, name, colour=colour))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, back, *parts, "</svg>\n"]), "utf-8")


def _decades(values: Sequence[float]) -> list[int]:
    low, top = floor(log10(min(values))), ceil(log10(max(values)))
    return list(range(low, max(top, low + 1) + 1))


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e2e8f0"/>'


def _text(
    x: float, y: float, told: str, *, size: int = 12, anchor: str = "start", colour: str = "#0f172a"
) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {where} fill="{colour}">{told}</text>'
