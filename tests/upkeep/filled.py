"""A memory with a year of everything in it, made by a seed: what the tests of upkeep work on."""

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from clock import Clock
from recollect import (
    Artifact,
    ArtifactType,
    Episode,
    EpisodeType,
    Filter,
    Memory,
    NewMessage,
    Source,
    SourceKind,
    Status,
    Trust,
)
from recollect.store import memories, usage

PEOPLE = ("Alice", "Bob", "Chen", "Dora")
THINGS = ("tea", "coffee", "running", "chess", "old maps", "sourdough bread", "the piano", "crosswords")
PLACES = ("in the morning", "at work", "with the family", "on the balcony", "by the river")


def statement(chance: random.Random) -> str:
    return f"{chance.choice(PEOPLE)} likes {chance.choice(THINGS)} {chance.choice(PLACES)}"


def again(text: str, chance: random.Random) -> str:
    """The same in slightly other words."""
    swaps = (text.replace("likes", "enjoys"), text + ".", text.replace("likes", "really likes"), text)
    return chance.choice(swaps)


def fill(memory: Memory, clock: Clock, seed: int, count: int = 60) -> None:
    """Statements with repeats, facts that change, episodes that overlap, use, links and old age."""
    chance = random.Random(seed)
    chat = memory.conversations.start("the year")
    said = memory.add_many(
        [NewMessage(text=f"{statement(chance)}. And so on, turn {i}.") for i in range(12)],
        conversation=chat.id,
    )
    told: list[str] = []
    ids: list[str] = []
    for i in range(count):
        clock.forward(days=chance.choice((0, 1, 3, 12)))
        text = again(chance.choice(told), chance) if told and chance.random() < 0.3 else statement(chance)
        told.append(text)
        given = [Source(SourceKind.MESSAGE, chance.choice(said.ids))] if chance.random() < 0.7 else []
        kept = memory.remember(
            text,
            sources=given,
            importance=chance.choice((0.1, 0.3, 0.5, 0.7, 0.9)),
            pinned=chance.random() < 0.1,
            tags=chance.sample(("home", "work", "fun"), chance.randint(0, 2)),
            trust=chance.choice((Trust.USER, Trust.USER, Trust.DOCUMENT)),
            subject=chance.choice((None, None, "Alice")),
            artifacts=[Artifact(ArtifactType.FILE, "a.py")] if chance.random() < 0.2 else [],
        )
        ids.append(kept.id)
        if chance.random() < 0.3:
            memory.remember(f"lives in {i % 7}", key="city", value=f"City {i % 7}", importance=0.4)
    for i in range(8):
        first = chance.randint(1, 9)
        episode = Episode(
            type=chance.choice((EpisodeType.PIVOT, EpisodeType.BREAKTHROUGH)),
            title=f"Moment {i}",
            conversation=chat.id,
            first_turn=first,
            last_turn=first + chance.randint(1, 3),
            participants=(chance.choice(PEOPLE),),
        )
        made = memory.remember(
            f"Something happened with {chance.choice(THINGS)}", kind="episode", episode=episode
        )
        ids.append(made.id)
    for _ in range(count // 3):
        a, b = chance.sample(ids, 2)
        memory.links.add(a, b, chance.choice(("related_to", "depends_on")), strength=0.5)
    _wait(memory, chance)
    for counter in ("retrieved", "cited", "ignored"):
        some = chance.sample(ids, count // 4)
        memory._scope.write(lambda tx, c=counter, s=some: usage.count(tx, sorted(s), c, clock()))  # type: ignore[misc]
    passed_over = sorted(chance.sample(ids, count // 4))
    for _ in range(5):
        memory._scope.write(lambda tx: usage.count(tx, passed_over, "ignored", clock()))
    memory.forget(ids[0])
    memory.jobs.run()
    clock.forward(days=chance.choice((5, 40, 200)))


def _wait(memory: Memory, chance: random.Random) -> None:
    """Some memories wait, and some sleep."""

    def work(tx: object) -> None:
        seen = memory._scope.view.spaces
        page = memories.page(tx, seen, Filter(), before=None, limit=500, as_of=None)  # type: ignore[arg-type]
        for r in page:
            if r.key is None and chance.random() < 0.15:
                status = chance.choice((Status.PENDING, Status.ARCHIVED))
                later = r.recorded_at + timedelta(microseconds=1)
                memories.replace_version(tx, r, replace(r, status=status, recorded_at=later))  # type: ignore[arg-type]

    memory._scope.write(work)


def exported(memory: Memory, path: Path) -> list[str]:
    """Everything there is, without the header, which holds the time."""
    memory.transfers.export(path)
    return path.read_text("utf-8").splitlines()[1:]
