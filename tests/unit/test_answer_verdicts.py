"""The verdict table on labelled pairs: half tune the thresholds, the sealed half says how good it is."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sourcebook_rag.answer.claims import take_apart
from sourcebook_rag.answer.compare import CheckPassage, compare

PAIRS: list[dict[str, str]] = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "verdicts.jsonl").read_text("utf-8").splitlines()
]


def verdict(pair: dict[str, str]) -> str:
    similarity = pair.get("similarity")
    passage = CheckPassage(pair["passage"], language=pair.get("passage_lang", pair["lang"]))
    given = (lambda _a, _b: float(similarity)) if similarity is not None else None
    return compare(take_apart(pair["statement"], pair["lang"]), passage, given).verdict


def right(split: str) -> float:
    chosen = [pair for pair in PAIRS if pair["split"] == split]
    return sum(verdict(pair) == pair["want"] for pair in chosen) / len(chosen)


def test_there_are_enough_pairs_in_both_halves() -> None:
    assert len(PAIRS) >= 60
    assert abs(Counter(pair["split"] for pair in PAIRS)["tune"] - len(PAIRS) / 2) < len(PAIRS) / 8
    assert {pair["lang"] for pair in PAIRS} == {"en", "de", "cs", "es", "fr"}


@pytest.mark.parametrize(("split", "least"), [("tune", 0.95), ("sealed", 0.85)])
def test_most_pairs_get_their_verdict(split: str, least: float, record_property: Callable[[str, object], None]) -> None:
    share = right(split)
    record_property(f"verdicts_right_{split}", round(share, 3))
    assert share >= least


def test_hardly_a_sealed_pair_is_called_found_wrongly() -> None:
    sealed = [pair for pair in PAIRS if pair["split"] == "sealed" and pair["want"] != "found"]
    wrong = [pair["id"] for pair in sealed if verdict(pair) == "found"]
    assert len(wrong) <= 0.05 * len(sealed), wrong


def test_a_name_whose_accent_is_a_character_of_its_own_is_one_name() -> None:
    name = "Cafe\u0301berg"
    passage = f"The summit of {name} lies at 2,410 metres."
    assert verdict({"statement": f"The summit of {name} lies at 2,410 metres.", "passage": passage, "lang": "en"}) == "found"
