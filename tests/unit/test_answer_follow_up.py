"""Which questions go on from the answer before, in five languages, and which begin anew."""

import pytest

from sourcebook_core.text.language import identify
from sourcebook_rag.answer.follow_up import MAX_WORDS, is_follow_up

GO_ON = (
    "And in winter?",
    "And why is that?",
    "Tell me more please",
    "Why?",
    "How deep is it?",
    "What about the northern end?",
    "Who built them?",
    "Where exactly is that?",
    "More details, please",
    "How so?",
    "But when?",
    "Is it allowed there?",
    "What does that mean?",
    "Can you give an example?",
    "Und im Winter?",
    "Warum?",
    "Und warum ist das so?",
    "Was bedeutet das?",
    "Wie tief ist er dort?",
    "Wer hat sie gebaut?",
    "Erzähl mir mehr dazu",
    "Gilt das auch im Winter?",
    "Was kostet das?",
    "Wie viel davon?",
    "A v zimě?",
    "A proč?",
    "Proč?",
    "Co to znamená?",
    "Kdo ho postavil?",
    "A co severní konec?",
    "Jak hluboké je to tam?",
    "Řekni mi o tom víc",
    "Kolik to stojí?",
    "¿Y en invierno?",
    "¿Por qué?",
    "¿Qué significa eso?",
    "¿Quién lo construyó?",
    "¿Y el extremo norte?",
    "Cuéntame más",
    "¿Cuánto cuesta eso?",
    "Et en hiver ?",
    "Pourquoi ?",
    "Que signifie cela ?",
    "Qui l'a construite, elle ?",
    "Et au nord ?",
    "Dis-m'en plus",
    "Combien ça coûte ?",
)
BEGIN_ANEW = (
    "Is there wifi on the ferries?",
    "Gibt es WLAN auf den Fähren?",
    "Je na trajektech wifi?",
    "¿Hay wifi en los barcos?",
    "Est-ce que le bateau part en hiver ?",
    "Y a-t-il du wifi à bord ?",
    "Faut-il un billet en hiver ?",
    "recipe for apple strudel",
    "Recipe for apple strudel?",
    "a recipe for apple strudel",
    "How deep is the lake?",
    "How wide is the lake at its southern end in meters?",
    "Who built the town hall?",
    "What is the price of tea in China?",
    "Which files do you have?",
    "How do I make apple strudel?",
    "Which animals that swim are eaten by herons?",
    "When does the ferry leave?",
    "To whom does the lake belong?",
    "Rezept für Apfelstrudel",
    "Wie tief ist der See?",
    "Wer hat das Rathaus gebaut?",
    "Wann fährt das Boot ab?",
    "Was kostet die Fahrkarte?",
    "Wie mache ich Apfelstrudel?",
    "Recept na jablečný závin",
    "Jak hluboké je jezero?",
    "Kdo postavil radnici?",
    "Kdy odplouvá loď?",
    "Kolik stojí jízdenka?",
    "Jak se dělá jablečný závin?",
    "Receta de strudel de manzana",
    "¿Qué profundidad tiene el lago?",
    "¿Quién construyó el ayuntamiento?",
    "¿Cuándo sale el barco?",
    "¿Cuánto cuesta el billete?",
    "Recette de strudel aux pommes",
    "Quelle est la profondeur du lac ?",
    "Qui a construit la mairie ?",
    "Quand part le bateau ?",
    "Combien coûte le billet ?",
    "Quelle est la hauteur de la tour Eiffel ?",
)


@pytest.mark.parametrize("question", GO_ON)
def test_a_question_that_needs_what_was_said_before_is_a_follow_up(question: str) -> None:
    assert is_follow_up(question, identify(question)) and is_follow_up(f"  {question}\n", identify(question))


@pytest.mark.parametrize("question", BEGIN_ANEW)
def test_a_question_that_says_itself_what_it_is_about_is_none(question: str) -> None:
    assert not is_follow_up(question, identify(question))


def test_a_long_question_and_one_without_words_are_none() -> None:
    assert not is_follow_up("And " + "lake " * MAX_WORDS, "en") and not is_follow_up("?!", None)


def test_in_a_language_without_signs_no_question_is_a_follow_up() -> None:
    assert not is_follow_up("\u041f\u043e\u0447\u0435\u043c\u0443?", "ru") and not is_follow_up("\u306a\u305c\uff1f", "ja")
