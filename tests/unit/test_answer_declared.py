"""The line that names a persona's sources: written by the program, vetoed by the model, backed by the answer's own words."""

import re
from uuid import uuid4

import pytest

from sourcebook_core.profiles import Citing
from sourcebook_core.store.citations import LINE
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.store.search import ChunkRow
from sourcebook_rag import lines
from sourcebook_rag.answer.cite import strip_marks
from sourcebook_rag.answer.declared import settle
from sourcebook_rag.answer.passages import Passage

CITING = Citing(sources="line")
GARDEN = "The pear trees stand behind the chapel. Grandmother planted forty of them in the spring of 1961, after the long winter."
PLANET = "Mercury is the planet closest to the Sun. A year there lasts 88 days, and at night it falls to minus 180 degrees."
BREAD = "Brot: Mehl, Wasser und Salz mischen, den Teig über Nacht kühl stellen und bei 240 Grad backen."
KEEPER = "Klíče od kostela má paní Nováková. Večer zamyká v osm hodin, v zimě už v šest."
NOTES = (GARDEN, PLANET, BREAD, KEEPER)


def passages(*texts: str) -> list[Passage]:
    found = []
    for number, text in enumerate(texts, 1):
        language = "de" if text == BREAD else "cs" if text == KEEPER else "en"
        source = ScopeSource(uuid4(), uuid4(), f"Note {number}", "text", "ready", language, 1, "full")
        chunk = ChunkRow(uuid4(), source.id, uuid4(), 0, 0, 0, len(text), None, None, language, text)
        found.append(Passage(chunk, source, 0.7))
    return found


def named(answer: str, used: list[int] | None, citing: Citing = CITING, *, language: str = "en") -> tuple[int, ...]:
    return settle(answer, used, passages(*NOTES), language, citing).line_sources


# What calibrates the share: an answer, what the model declares, what may be named.
CASES: list[tuple[str, list[int], tuple[int, ...]]] = [
    ("The pear trees are behind the chapel.", [1], (1,)),
    ("Oh, that was your grandmother! She planted forty pear trees in the spring of 1961.", [1], (1,)),
    ("Behind the chapel, dear. That is where they stand.", [1], (1,)),
    ("A year on Mercury lasts 88 days, less than a season here.", [2], (2,)),
    ("Mercury is the only metal that is liquid at room temperature; it freezes at -39 °C.", [2], ()),
    ("Mercury, the Roman god, carried messages and wore winged sandals.", [2], ()),
    ("Quecksilber ist ein Metall und bei Raumtemperatur flüssig.", [2], ()),
    ("❤️", [1, 2, 3, 4], ()),
    ("❤️ Thank you, you are sweet!", [1, 2], ()),
    ("Good morning! How are you today?", [1], ()),
    ("Yes!", [1], ()),
    ("Mische Mehl, Wasser und Salz und backe das Brot bei 240 Grad.", [3], (3,)),
    ("Backe es bei 240 Grad, bis die Kruste dunkel ist.", [3], (3,)),
    ("Klíče má paní Nováková a večer zamyká v osm.", [4], (4,)),
    ("Klíče si prosím vyzvedněte na obecním úřadě.", [4], ()),
    ("The pear trees stand behind the chapel, and a year on Mercury lasts 88 days.", [1, 2], (1, 2)),
    ("The pear trees stand behind the chapel.", [1, 2], (1,)),
    ("In spring everything blooms and people plant trees.", [1], ()),
    ("Grandmother planted them after the long winter, forty of them.", [1], (1,)),
    ("I love gardens. My favourite fruit is the pear, with cheese and a glass of wine.", [1], ()),
]


@pytest.mark.parametrize(("answer", "used", "expected"), CASES)
def test_a_source_is_named_when_the_answer_carries_its_content(answer: str, used: list[int], expected: tuple[int, ...]) -> None:
    assert named(answer, used) == expected


@pytest.mark.parametrize(("used", "expected"), [([1, 7], (1,)), ([], ()), (None, ()), ([2], ()), ([0, 1, 1], (1,))])
def test_a_declaration_can_take_a_source_away_and_never_add_one(used: list[int] | None, expected: tuple[int, ...]) -> None:
    assert named("The pear trees stand behind the chapel.", used) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "What I was given does not say who planted the pear trees behind the chapel.",
        "I don't know how long a year on Mercury lasts.",
        "Dazu habe ich leider nichts: ob das Brot bei 240 Grad backen soll, steht nicht in den Unterlagen.",
        "Bohužel nevím, kdo má klíče od kostela a kdy paní Nováková zamyká.",
        "No lo sé: no aparece quién plantó the pear trees behind the chapel.",
        "Je ne sais pas qui a planté the pear trees behind the chapel.",
    ],
)
def test_no_source_stands_under_a_refusal(answer: str) -> None:
    assert named(answer, [1, 2, 3, 4]) == ()


def test_no_source_stands_under_a_reply_that_the_model_marked_as_none() -> None:
    found = settle("The pear trees stand behind the chapel.", [1], passages(GARDEN), "en", CITING, is_refusal_marked=True)
    assert found.answer == "The pear trees stand behind the chapel." and not found.line_sources


def test_without_the_evidence_check_the_declaration_is_enough() -> None:
    assert named("Ask me anything.", [2, 9], Citing(sources="line", evidence_check="off")) == (2,)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "📄 From what you gave me: Note 1, Note 2"),
        ("de", "📄 Aus dem, was ich bekommen habe: Note 1, Note 2"),
        ("sv", "📄 From what you gave me: Note 1, Note 2"),
    ],
)
def test_the_line_is_in_the_language_of_the_answer(language: str, line: str) -> None:
    answer = "The pear trees stand behind the chapel, and a year on Mercury lasts 88 days."
    assert settle(answer, [1, 2], passages(*NOTES), language, CITING).answer == f"{answer}\n\n{line}"


def test_two_passages_of_one_source_are_named_once() -> None:
    one, other = passages(GARDEN, "The pear trees bore fruit for the first time in 1966, to general surprise.")
    other = Passage(other.chunk, one.source, 0.6)
    answer = "The pear trees stand behind the chapel. They bore fruit for the first time in 1966."
    assert settle(answer, [1, 2], [one, other], "en", CITING).answer.endswith("gave me: Note 1")


@pytest.mark.parametrize("language", lines.LANGUAGES)
def test_a_line_of_an_earlier_answer_is_never_told_to_a_model(language: str) -> None:
    answer = settle("The pear trees stand behind the chapel.", [1], passages(GARDEN), language, CITING).answer
    assert "Note 1" in answer and strip_marks(answer) == "The pear trees stand behind the chapel."


def test_the_line_of_every_language_is_known_where_a_removed_source_is_taken_out_of_it() -> None:
    for language in lines.LANGUAGES:
        answer = settle("The pear trees stand behind the chapel.", [1], passages(GARDEN), language, CITING).answer
        found = re.search(LINE + r"([^\n]*)$", answer)
        assert found is not None and found[1] == "Note 1", answer
