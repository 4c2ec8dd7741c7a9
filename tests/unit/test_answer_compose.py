"""What a writing model is given: pure."""

from uuid import UUID, uuid4

import pytest

from sourcebook_core import profiles
from sourcebook_core.profiles import NOTEBOOK
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.store.search import ChunkRow
from sourcebook_rag import lines, prompts
from sourcebook_rag.answer import instructions
from sourcebook_rag.answer.compose import Brief, Composed, Said, bounded_history, compose, document_list, estimate
from sourcebook_rag.answer.passages import Passage, merge

FENCE = "<<abc>>"


def source(title: str = "Lakes", searchable: str = "full") -> ScopeSource:
    return ScopeSource(uuid4(), uuid4(), title, "pdf", "ready", "en", 1, searchable)


def passage(text: str, *, of: ScopeSource | None = None, start: int = 0, ordinal: int = 0, reading: object = None) -> Passage:
    where = of or source()
    chunk = ChunkRow(uuid4(), where.id, reading or uuid4(), ordinal, 0, start, start + len(text), 3, "A > B", "en", text)  # type: ignore[arg-type]
    return Passage(chunk, where, 0.5)


def composed(passages: list[Passage], **more: object) -> Composed:
    given = {"fence": FENCE, "language": "en", "context_tokens": None, "reply_tokens": 500} | more
    history = given.pop("history", [])
    brief = Brief("How deep?", NOTEBOOK, documents=[source()], language=given.pop("language"))  # type: ignore[arg-type]
    return compose(brief, passages, history, **given)  # type: ignore[arg-type]


def test_passages_are_numbered_named_and_fenced_in_the_last_message() -> None:
    found = composed([passage("It is deep."), passage("It is wide.")])
    assert [message["role"] for message in found.messages] == ["system", "user"]
    asked = found.messages[-1]["content"]
    assert "[1] Lakes, page 3, A B\n<<abc>>\nIt is deep.\n<<abc>>\n\n[2]" in asked and asked.endswith("Question: How deep?")
    assert "It is deep" not in found.messages[0]["content"] and "- Answer in English." in found.messages[0]["content"]


def test_the_same_input_gives_the_same_words() -> None:
    one = passage("It is deep.")
    documents = [source()]

    def words() -> list[dict[str, str]]:
        found = compose(Brief("How?", NOTEBOOK, documents=documents), [one], [], fence=FENCE, context_tokens=None, reply_tokens=1)
        return found.messages

    assert words() == words()


def test_a_profile_without_names_tells_the_model_no_title() -> None:
    nameless = profiles.of("notebook", {"prompt": {"document_names": "none"}})
    brief = Brief("How?", nameless, documents=[source("CANARY")])
    found = compose(brief, [passage("Deep.", of=source("CANARY"))], [], fence=FENCE, context_tokens=None, reply_tokens=1)
    assert "CANARY" not in str(found.messages)
    assert document_list([source("T", "none")]) == "- PDF: T (not read yet)"
    assert document_list([source()] * 101).endswith("- and 1 more")


def test_history_is_whole_bounded_and_begins_with_the_asker() -> None:
    long = [Said("user" if n % 2 == 0 else "assistant", f"{n} " + "x" * 396) for n in range(30)]
    kept = bounded_history(long, 20, 6000)
    assert len(kept) <= 20 and sum(len(said.content) for said in kept) <= 6000
    assert kept[0].role == "user" and kept[-1].content.startswith("29 ")
    assert bounded_history([Said("user", "q"), Said("assistant", "Deep [1][2]. See [11.5, 14.2].")], 20, 6000)[1].content == (
        "Deep. See [11.5, 14.2]."
    )
    assert bounded_history([Said("user", "x" * 7000)], 20, 6000) == []


def test_passages_go_from_the_end_until_the_prompt_fits_then_earlier_messages() -> None:
    many = [passage("word " * 200) for _ in range(8)]
    history = [Said("user", "q " * 500), Said("assistant", "a " * 500)]
    whole = composed(many, history=history)
    assert not whole.is_cut and len(whole.passages) == 8
    cut = composed(many, history=history, context_tokens=2600)
    assert cut.is_cut and cut.passages == many[: len(cut.passages)] and 0 < len(cut.passages) < 8
    tiny = composed(many, history=history, context_tokens=800)
    assert tiny.is_cut and len(tiny.passages) == 1 and len(tiny.messages) == 2
    assert tiny.tokens == estimate(tiny.messages)


def test_overlapping_passages_are_one_with_the_union_of_their_words() -> None:
    text = "The lake is deep. It is wide. It is cold."
    where, reading = source(), uuid4()
    first = passage(text[:29], of=where, reading=reading)
    second = passage(text[18:], of=where, start=18, reading=reading)
    apart = passage("Elsewhere.", of=where, start=500, reading=reading)
    joined = merge([second, apart, first])
    assert [one.chunk.text for one in joined] == [text, "Elsewhere."]
    assert (joined[0].chunk.start_at, joined[0].chunk.end_at, joined[0].chunk.id) == (0, len(text), second.chunk.id)


def test_a_prompt_takes_exactly_what_it_declares() -> None:
    prompt = prompts.parse("x", "inputs: a, b\n---\n{{a}} and {{b}}")
    assert prompt.fill(a="{{b}}", b="2") == "{{b}} and 2"
    assert prompt.label.startswith("x@") and len(prompt.label) == 10
    for given in ({"a": "1"}, {"a": "1", "b": "2", "c": "3"}):
        with pytest.raises(ValueError, match="takes"):
            prompt.fill(**given)
    for text in ("inputs: a\n---\n{{b}}", "inputs: a, b\n---\n{{a}}", "no head"):
        with pytest.raises(ValueError, match=r"declares|begin"):
            prompts.parse("x", text)
    for name in (*instructions.OF_PROFILE.values(), "question", "answer_small", "question_small", "translate"):
        assert prompts.load(name).label.startswith(f"{name}@")


@pytest.mark.parametrize("language", lines.LANGUAGES)
def test_the_fixed_lines_exist_in_every_language_and_claim_nothing(language: str) -> None:
    told = lines.load(language)
    assert tuple(told) == lines.KEYS and all(text.strip() for variants in told.values() for text in variants)
    words = ("true", "verified", " ai ", " ki ", " ia ", "assistant", "read ", "gelesen", "četl", "leído", "j'ai lu", "!", "oops")  # S2-37
    said = [text for key, variants in told.items() for text in variants if not key.startswith("empty")]
    assert not any(word in f" {text.lower()} " for text in said for word in words)


def test_a_line_has_any_number_of_variants_and_the_same_turn_gets_the_same_one() -> None:
    turns = [UUID(int=number) for number in range(6)]
    told = [lines.line("cards_weak", "en", one) for one in turns]
    assert len(set(told)) == 3 and told == [lines.line("cards_weak", "en", one) for one in turns]
    assert lines.line("cards_weak", "pl", turns[1]) == told[1] and lines.line("cards_weak", "de-AT", turns[0]) != told[0]
