"""A made-up conversation of any length for the demo: a project is discussed, day after day."""

from itertools import count, islice

from recollect.model.conversation import NewMessage, Role

_OPENING = (
    "Hi! My name is Alex and I live in Lisbon. I am allergic to peanuts.",
    "Nice to meet you, Alex. What are you working on these days?",
    "I work at Northwind as a backend engineer, and we are building the Phoenix project.",
    "That sounds like a good challenge. What does the team worry about most?",
)
_DAY = (
    "Good morning! Today I want to look at the {part} service with you. It has grown a lot since spring "
    "and nobody really knows any more how all of its parts fit together.",
    "Gladly. Shall we start with the storage of the {part} service, or with the way it talks to the other "
    "services? Both are worth an hour, and the storage is usually where the surprises are.",
    "We found a bug in the {part} service: it {fault}. Two customers complained about it last week, and I "
    "could reproduce it on my own machine within a few minutes.",
    "Let me think. The logs of the {part} service should tell us which query is to blame, and a small test "
    "that runs the same steps would keep it from coming back later.",
    "We decided to use {tool} for the {part} service because {reason}. The others agreed in yesterday's "
    "meeting, although it took us the better part of the afternoon to get there.",
    "I fixed the {part} bug {fix} in PR #{number}. The tests pass now, and I added two more that cover the "
    "cases your customers wrote about, so that we would notice at once.",
    "Perfect, thank you! I merged PR #{number} and deployed the {part} service this afternoon, and so far "
    "the graphs look calm. Let us have a break and go on tomorrow with the next one.",
    "Enjoy your break. I will keep an eye on the graphs in the meantime and write down what we should "
    "still clean up before the next release goes out to everybody.",
)
"""User and assistant in turn."""
_WORDS = {
    "part": "billing search reporting login export scheduling notification audit inventory checkout".split(),
    "tool": "PostgreSQL Redis Kafka Elasticsearch SQLite RabbitMQ Memcached DuckDB ClickHouse".split(),
    "reason": [
        "the team knows it well",
        "it is simple to run",
        "our data is mostly JSON",
        "it recovers quickly after a crash",
    ],
    "fault": [
        "times out when two hundred users log in at once",
        "fails on file names with accents",
        "loses its place after a restart",
        "answers slowly while the nightly backup is running",
        "rejects dates before the year 2000",
    ],
    "fix": [
        "by raising the pool size to forty connections",
        "by normalising the names before they are compared",
        "by writing the offset in the same transaction",
        "by moving the backup to a replica",
        "by reading the dates with the right calendar",
    ],
}


def long_talk(turns: int) -> list[NewMessage]:
    """So many messages, always the same ones, of about the length people write."""
    days = (line.format(**_words_of(day)) for day in count() for line in _DAY)
    texts = (*_OPENING, *islice(days, max(0, turns - len(_OPENING))))[:turns]
    roles = (Role.USER, Role.ASSISTANT)
    return [NewMessage(text=text, role=roles[turn % 2]) for turn, text in enumerate(texts)]


def _words_of(day: int) -> dict[str, object]:
    chosen = {name: words[day % len(words)] for name, words in _WORDS.items()}
    return {**chosen, "number": 100 + day}
