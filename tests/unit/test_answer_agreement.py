"""Words that are all there and do not say the same: bounds, units, direction, denial, who says it, order."""

import pytest

from sourcebook_rag.answer import agreement, arrangement, concepts, synonyms
from sourcebook_rag.answer.agreement import Difference
from sourcebook_rag.answer.claims import take_apart
from sourcebook_rag.answer.compare import CheckPassage, compare


def verdict(statement: str, passage: str, language: str = "en") -> str:
    return compare(take_apart(statement, language), CheckPassage(passage, language=language)).verdict


@pytest.mark.parametrize(
    ("language", "passage", "right", "wrong"),
    [
        (
            "en",
            "Some of the guests left the hall before midnight.",
            "Some guests left the hall before midnight.",
            "All guests left the hall before midnight.",
        ),
        (
            "en",
            "Guests may stay for up to 12 hours in the hall.",
            "Guests may stay for up to 12 hours.",
            "Guests may stay for 12 hours in the hall.",
        ),
        (
            "en",
            "The pump must cool for 20 minutes after use.",
            "The pump must cool for 20 minutes.",
            "The pump must cool for 20 hours after use.",
        ),
        ("en", "The fair opens on Monday at the old mill.", "The fair opens on Monday.", "The fair opens on Friday at the old mill."),
        (
            "en",
            "Never paint the lock. Oil protects the lock from dust.",
            "Oil protects the lock from dust.",
            "Oil does not protect the lock from dust.",
        ),
        (
            "en",
            "According to the mayor, the well is clean again.",
            "According to the mayor the well is clean again.",
            "The well is clean again.",
        ),
        ("en", "Smiths trained carpenters in the old yard.", "Smiths trained carpenters.", "Carpenters trained smiths in the old yard."),
        (
            "en",
            "Wheat grew well, while barley lost a third of its leaves.",
            "Barley lost a third of its leaves.",
            "Wheat lost a third of its leaves.",
        ),
        (
            "de",
            "Manche Boote dürfen im Winter im Hafen liegen.",
            "Manche Boote dürfen im Winter im Hafen liegen.",
            "Alle Boote dürfen im Winter im Hafen liegen.",
        ),
        (
            "de",
            "Laut Auskunft des Amtes ist die Quelle sauber.",
            "Laut Auskunft des Amtes ist die Quelle sauber.",
            "Die Quelle ist sauber.",
        ),
        (
            "cs",
            "Most se otevře v pondělí ráno u starého mlýna.",
            "Most se otevře v pondělí ráno.",
            "Most se otevře v pátek ráno u starého mlýna.",
        ),
        (
            "es",
            "Algunas barcas pueden entrar en el puerto viejo.",
            "Algunas barcas pueden entrar en el puerto viejo.",
            "Todas las barcas pueden entrar en el puerto viejo.",
        ),
        (
            "fr",
            "Selon le maire, le puits est de nouveau propre.",
            "Selon le maire, le puits est de nouveau propre.",
            "Le puits est de nouveau propre.",
        ),
    ],
)
def test_a_statement_that_loses_or_turns_a_small_word_is_not_found(language: str, passage: str, right: str, wrong: str) -> None:
    assert verdict(right, passage, language) == "found"
    assert verdict(wrong, passage, language) != "found"


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("The council approved the tram line in 2019.", "In 2019 the council approved the tram line."),
        ("The river flooded the lower town twice.", "Twice the lower town was flooded by the river."),
        ("The barn burned down and the mill was sold.", "The barn burned down in May. The mill was sold."),
        ("The reservoir supplies nine villages.", "The reservoir was built by the county. It supplies nine villages."),
        ("The firm bought the yard.", "The company purchased the yard."),
    ],
)
def test_what_says_the_same_in_another_order_is_found(statement: str, passage: str) -> None:
    assert verdict(statement, passage) == "found"


def test_words_of_two_sentences_make_no_statement() -> None:
    passage = "The tenant pays the rent. The landlord pays for the heating."
    assert verdict("The landlord pays the rent.", passage) == "partly"
    assert verdict("The tenant pays the rent.", passage) == "found"


def test_a_quotation_without_its_first_word_is_not_word_for_word() -> None:
    passage = "Some of the older guests left the great hall of the castle long before midnight."
    assert verdict("Of the older guests left the great hall of the castle long before midnight.", passage) == "partly"


def test_a_word_of_scale_counts() -> None:
    passage = "The dam holds 2.5 million cubic metres."
    assert verdict("The dam holds 2.5 million cubic metres of water.", passage) != "number_differs"
    assert verdict("The dam holds 2.5 billion cubic metres.", passage) in ("partly", "number_differs")


def test_concepts_meet_across_languages() -> None:
    assert agreement.turned("Řidiči brzdili dříve.", "cs", "Drivers braked later.", "en") == Difference("dříve")
    assert agreement.bound_lost(
        "Die Fahrt dauert 5 Stunden.", "de", "The trip takes 5 minutes.", "The trip takes 5 minutes.", "en"
    ) == Difference("Stunden")
    assert agreement.attribution_lost("Es half.", "de", "The company says that it helped.", "en") == Difference("says", True)
    assert agreement.compares("Young cats sleep more than old ones.", "en") and not agreement.compares("Cats sleep.", "en")


def test_every_concept_has_words_in_english_and_german() -> None:
    for table in (concepts.BOUNDS, concepts.AXES, concepts.CLASSES, concepts.PHRASES):
        assert all(words.get("en") and words.get("de") for words in table.values())
    assert all(concepts.OPPOSITE[there] == here for here, there in concepts.OPPOSITE.items())


@pytest.mark.parametrize(("one", "other", "language"), [("begins", "started", "en"), ("arzt", "mediziner", "de"), ("auto", "vozy", "cs")])
def test_common_synonyms_are_one_word(one: str, other: str, language: str) -> None:
    assert synonyms.same_meaning(one, other, language)
    assert not synonyms.same_meaning(one, "kladivo", language)


def test_the_words_that_moved_are_those_outside_the_longest_rising_run() -> None:
    claim, text = "The clinic saw 40 patients in October.", "October saw 40 patients in the clinic."
    assert arrangement.out_of_order(claim, text, "en") == "clinic"
    assert arrangement.out_of_order(claim, claim, "en") is None
    assert arrangement.out_of_order("In spring the choir sang at the abbey.", "The choir sang at the abbey in spring.", "en") is None


def test_a_reason_is_the_word_as_written_and_says_whose_it_is() -> None:
    def evidence(statement: str, passage: str) -> tuple[str | None, str | None]:
        found = compare(take_apart(statement, "en"), CheckPassage(passage, language="en")).evidence
        return found.caution, found.differs

    assert evidence("Guests left the hall before midnight.", "Some guests left the hall before midnight.") == ("Some", None)
    assert evidence("All guests left the hall before midnight.", "The guests left the hall before midnight.") == (None, "All")
    assert evidence("Rain helped the old oaks.", "Rain may have helped the old oaks.") == ("may", None)
    assert evidence("Smiths trained carpenters.", "Carpenters trained smiths in the yard.")[0] is None
