"""Whether a question goes on from the answer before it: by how it begins, what it points back to, and how little it says itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from sourcebook_core.text.folding import fold
from sourcebook_core.text.stopwords import STOP_WORDS

MAX_WORDS = 14  # a longer question says itself what it is about
MAX_CONTENT = 3  # words of its own beside one that points back; a question with more is searched well enough alone
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Signs:
    """The signs of one language: `opens` and `asks_on` begin a question, `points` stands anywhere and names what was said before."""

    opens: re.Pattern[str]
    asks_on: re.Pattern[str]
    points: re.Pattern[str]


def _signs(opens: str, asks_on: str, points: str) -> _Signs:
    begins = r"\A\W*(?:{})\b"
    return _Signs(re.compile(begins.format(opens)), re.compile(begins.format(asks_on)), re.compile(rf"(?<![^\W_])(?:{points})(?![^\W_])"))


# "that" and its kin also begin clauses ("the tower that leans"), stand before nouns ("das Boot") and for nothing ("is there", "gibt es",
# "est-ce que"): there they point to nothing before.
_SIGNS = {
    "en": _signs(
        r"and|but|or|so|then|also|(?:what|how) about|(?:what|who|where|when) else|same",
        r"(?:please |can you |could you )?(?:tell me (?:a bit |a little )?more|more\b(?! \w+ \w+ \w)|say more|go on|continue"
        r"|explain (?:it|this|that|more|again)|elaborate|give (?:me )?(?:an? |more |some )?(?:example|detail)s?|for example|in short"
        r"|shorter|longer|(?:say|translate|summari[sz]e) (?:it|that))",
        r"it|its|they|them|their|theirs|he|she|him|his|hers?|these|those|this|(?<!is )(?<!are )(?<!was )there(?! is| are)"
        r"|mentioned|above|the (?:former|latter|same)"
        r"|(?:is|was|does|did|do|of|about|for|than|like|with|after|before|from|in|on|by|at|to|mean|say|explain|why) that|that(?=\W*\Z)",
    ),
    "de": _signs(
        r"und|aber|oder|dann|also|auch|was ist mit|wie (?:ist|sieht|steht) es (?:mit|bei|um)|(?:was|wer|wo) sonst|was noch",
        r"(?:bitte |kannst du |können sie )?(?:mehr (?:dazu|darüber|davon|details)|(?:erzähl|sag)\w*(?: sie)? (?:mir |bitte )*mehr|weiter"
        r"|genauer|ausführlicher|kürzer|länger|einfacher|erklär\w* (?:sie )?(?:mir )?(?:das|es|dies)"
        r"|(?:gib|nenn\w*) (?:mir )?(?:ein )?beispiele?|zum beispiel)",
        r"(?<!gibt )es(?! gibt)|ihn|ihm|ihnen|sein(?:e[mnrs]?)?|ihre?[mnrs]?|diese[mnrs]?|jene[mnrs]?|dort|da"
        r"|davon|dazu|damit|darin|darauf|daran|darüber|dafür|dagegen|dabei|danach|dadurch|deren|dessen|oben|sie(?= \w)|(?:letzt|erst)ere\w*"
        r"|das(?=\W*\Z| (?:so|ist|war|genau|denn|auch|heißt|bedeutet|gilt|geht|aus|für)\b)",
    ),
    "cs": _signs(
        r"a|ale|nebo|takže|tak|tedy|potom|pak|co (?:třeba|dál|ještě)|jak je to s|kdo další|také|taky",
        r"(?:prosím |můžeš |můžete )?(?:(?:řekni|řekněte|pověz|vysvětli|popiš|uveď|dej)\w* (?:mi )?(?:o tom )?(?:víc\w*|to|příklad\w*)"
        r"|víc\w* (?:o tom|k tomu|podrobností)|pokračuj\w*|podrobněji|stručněji|kratší|delší|například|jednodušeji)",
        r"to|toho|tomu|tom|tím|ten|ta|ti|ty|tu|tam|tuto|toto|tohle|tento|tato|tyto|jeho|její|jejich|ho|mu|jej|ji|jí|jím|jim|jich"
        r"|nich|něm|něj|něho|ním|ní|nimi|on|ona|oni|proto|výše|zmíněn\w+",
    ),
    "es": _signs(
        r"y|e|pero|o|entonces|también|además|qué (?:hay de|pasa con|más|tal)|quién más",
        r"(?:por favor )?(?:puedes |puede )?(?:(?:cuénta|dime|dígame|explica|explícame)\w* ?(?:algo )?(?:más|lo|eso|esto|mejor)"
        r"|más (?:detalles|información|sobre (?:eso|esto|ello)|corto|largo|breve)|continúa|sigue|resúmelo|tradúcelo"
        r"|(?:da\w*|dame|deme) (?:un |más )?(?:ejemplo|detalle)s?|por ejemplo|en resumen)",
        r"eso|esto|ese|esa|esos|esas|este|esta|estos|estas|aquello|ello|él|ella|ellos|ellas|allí|ahí|su|sus|suy[oa]s?|le|les"
        r"|lo(?= \w+\W*\Z)|mism[oa]s?|anterior",
    ),
    "fr": _signs(
        r"et|mais|ou|alors|donc|puis|aussi|qu['\u2019 ]en est[ -]il|(?:quoi|qui) d['\u2019 ]autre|quid",
        r"(?:peux[- ]tu |pouvez[- ]vous )?(?:(?:dis|dites|parle|raconte|explique)\w*[- ](?:m['\u2019 ]en|moi|nous|en|le|la|cela|ça)"
        r"|en dire plus|plus (?:de détails|d['\u2019 ]informations|à ce sujet|court|long|simple)|continue\w*|développe\w*"
        r"|donne\w*[- ](?:moi )?(?:un |plus d['\u2019 ]|des )?(?:exemple|détail)s?|par exemple|en bref)",
        r"cela|ça|ceci|celui|celle|celles|ceux|(?<!-)ils?(?! y a\b| faut\b)|elles?|lui|leurs?|eux|en(?= (?:faut|reste|existe)\b)"
        r"|son|sa|ses|là|(?<!-)ce(?= \w)(?! qu)|cet|cette|ces"
        r"|précédente?s?|ci-dessus",
    ),
}  # fmt: skip


def is_follow_up(question: str, language: str | None = None) -> bool:
    """Whether the question can only be understood with what was said before it, so that passages of the last answer are carried into it.

    Short, and one of: it begins by going on ("And in winter?", "Tell me more"), it says nothing itself ("Why?"), or it points back
    ("How deep is it?") and has few words of its own. English, German, Czech, Spanish and French; in other languages never.
    `language` is that of the question where it is sure; a question in hardly any words tells it by its stop words. Source: decisions, C9.
    """
    folded = fold(" ".join(question.split()))
    words = _WORD.findall(folded)
    if not words or len(words) > MAX_WORDS:
        return False
    return any(_goes_on(folded, words, spoken) for spoken in _spoken(words, language))


def _spoken(words: Collection[str], language: str | None) -> set[str]:
    """The languages that the question may be in: those with most of its words among their stop words, and the one it was told to be."""
    counted = {code: sum(word in STOP_WORDS[code] for word in words) for code in _SIGNS}
    most = max(counted.values())
    likely = {code for code, count in counted.items() if count == most and most}
    if language is None or language not in _SIGNS:
        return likely
    return {language} if language in likely or not likely else likely


def _goes_on(folded: str, words: Collection[str], language: str) -> bool:
    signs = _SIGNS[language]
    own = [word for word in words if word not in STOP_WORDS[language]]
    if signs.opens.search(folded) or signs.asks_on.search(folded) or not own:
        return True
    return len(own) <= MAX_CONTENT and signs.points.search(folded) is not None
