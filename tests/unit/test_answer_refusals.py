"""Which sentences without a mark say that the sources are silent, and which state something that no source was named for."""

import pytest

from sourcebook_rag import lines
from sourcebook_rag.answer.refusals import says_silent
from sourcebook_rag.answer.statements import statements

STATE = (
    "This sentence has no source.",
    "The claim has no source at all.",
    "The documents that members submit do not expire.",
    "Members get no answer within a week.",
    "The report gives no information to the press.",
    "Texts do not need a permit.",
    "The notes don't burn.",
    "Water from wells is not included in the price.",
    "Children under six are not covered by the insurance.",
    "A guest cannot find the door in the dark.",
    "You can't say it in one word.",
    "Nothing about it is cheap.",
    "Die Dokumente dürfen nicht kopiert werden.",
    "Die Quellen des Flusses trocknen nicht aus.",
    "Texte brauchen keine Genehmigung.",
    "Dieser Satz hat keine Quelle.",
    "Zdroje energie nestačí.",
    "Dokumenty nesmí nikdo kopírovat.",
    "Tato věta nemá žádný zdroj.",
    "Los documentos no caducan.",
    "Las fuentes del río no se secan.",
    "Les documents ne doivent pas être copiés.",
    "Les sources du fleuve ne tarissent pas.",
    "Cette phrase n'a aucune source.",
)
REFUSE = (
    "The sources do not say who owns the lake.",
    "Nothing in your sources answers this well.",
    "The sources do not say who paid.",
    "The passages do not mention a price.",
    "The provided documents don't contain this.",
    "There is no information about the price.",
    "No information is given on this.",
    "I could not find an answer in your sources.",
    "I don't know.",
    "I cannot answer that from the sources.",
    "The price is not mentioned in the passages.",
    "This is not covered.",
    "Your notebook doesn't tell.",
    "What I was given says nothing about that.",
    "Die Quellen enthalten dazu keine Angaben.",
    "Die Quellen sagen nicht, wem der See gehört.",
    "Dazu steht nichts in den Unterlagen.",
    "Das weiß ich leider nicht.",
    "Keine Informationen dazu.",
    "Zdroje neříkají, komu jezero patří.",
    "Pasáže se o tom nezmiňují.",
    "Bohužel nevím.",
    "O tom není v dokumentech uvedeno nic.",
    "Las fuentes no dicen de quién es el lago.",
    "No tengo información sobre eso.",
    "Los documentos no mencionan el precio.",
    "Les sources ne disent pas à qui appartient le lac.",
    "Je ne sais pas.",
    "Les documents ne mentionnent pas le prix.",
    "Le prix n'est pas mentionné.",
)


@pytest.mark.parametrize("sentence", STATE)
def test_a_sentence_that_only_sounds_like_a_refusal_is_a_statement_without_a_source(sentence: str) -> None:
    assert [one.text for one in statements(sentence, ())] == [sentence]


@pytest.mark.parametrize("sentence", REFUSE)
def test_what_says_that_the_sources_are_silent_states_nothing(sentence: str) -> None:
    assert statements(sentence, ()) == []


@pytest.mark.parametrize("language", lines.LANGUAGES)
def test_the_fixed_line_of_nothing_found_states_nothing(language: str) -> None:
    assert says_silent(lines.line("none", language))
