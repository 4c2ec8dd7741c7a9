"""Words of denial, of caution and of number, per language: what must be the same on both sides of a citation."""

from __future__ import annotations

import re
from functools import lru_cache

from sourcebook_core.text.lexemes import fold

_DENIAL = {
    "en": (
        r"not|never|no(?! ?\.)|none|nobody|nothing|neither|nor|cannot|nowhere"
        r"|(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must)n['\u2019]t"
    ),
    "de": r"nicht|kein\w*|nie|niemals|niemand\w*|nichts|weder|keineswegs|nirgends",
    "cs": r"ne|není|nejsou|nebyl\w*|nikdy|nikdo|nic|žádn\w+|nelze|nemá|nemají|nemůže\w*|nesmí\w*|nebude\w*|nikoli\w*|nikde|ani",
    "es": r"no|(?<!que )nunca|(?<!que )jamás|ning[uú]n\w*|nadie|nada|tampoco",
    "fr": r"pas|(?<!que )jamais|rien|aucune?s?|nulle?s?|personne ne|ni",
}
_CAUTION = {
    "en": (
        r"may|might|could|possibly|probably|perhaps|maybe|likely|unlikely|appears?|appeared|seems?|seemed|suggests?|suggested|apparently|presumably"
        r"|thought to|would|possible|potential|unclear|preliminary|provisional|speculat\w*|hypothe\w*|tends? to"
        r"|projected|forecast\w*|reportedly|allegedly|alleged|claims?|claimed|expected|believed|supposedly|potentially|rumou?red|estimated"
    ),
    "de": (
        r"vielleicht|möglicherweise|wahrscheinlich|vermutlich|angeblich|eventuell|könnten?|dürften?|scheint|scheinen|behauptet|behaupten"
        r"|würden?|möglich\w*|denkbar\w*|anscheinend|vorläufig\w*|hypothe\w*|unklar\w*|verdacht\w*|gilt als|gelten als|heißt es"
        r"|mutma(?:ß|ss)lich\w*|womöglich|offenbar|wohl|geschätzt|erwartet|(?:deute\w*|weis\w*) darauf hin|leg\w* nahe"
    ),
    "cs": (
        r"možná|pravděpodobně|snad|asi|údajně|zřejmě|mohl[aoiy]? by|by (?:se |si |to )?mohl[aoiy]?"
        r"|patrně|zdá se|tvrdí|prý|nejspíše?|naznačuj\w+|odhadem"
        r"|možn\w+|nejspíš\w*|měl[aoy]? by|by (?:se |si )?měl[aoy]?|hypoté\w*|předběžn\w*|odhaduj\w*|údajn\w+|není jasné|podezř\w*"
        r"|očekává se|domněle|možno"
    ),
    "es": (
        r"quizás?|posiblemente|probablemente|tal vez|podrían?|parecen?|supuestamente|presuntamente|sugieren?|afirman?|aparentemente|acaso"
        r"|posibles?|probables?|hipótesis|preliminar\w*|al parecer|debería\w*|sería\w*|habría\w*|se espera|se cree|se estima|presunt[oa]s?"
    ),
    "fr": (
        r"peut[- ]être|probablement|possiblement|sans doute|semblent?|pourrai(?:t|ent)|prétend(?:ent)?|affirment?|apparemment|présumée?s?"
        r"|possibles?|probables?|hypothès\w*|préliminaire\w*|soupçon\w*"
        r"|suggèrent?|éventuellement|serai(?:t|ent)|aurai(?:t|ent)|\w{4,}rai(?:t|ent)|on estime|devrai(?:t|ent)"
    ),
}
# A clause that another clause contrasts with: what it denies or doubts is not what the other says.
_CONTRAST = re.compile(
    r"[;:\u2013\u2014]\s|,\s+(?=(?:but|although|though|while|whereas|however|aber|obwohl|während|jedoch|sondern|ale|avšak|přestože|zatímco"
    r"|pero|aunque|mientras|mais|bien que|alors que|tandis que|außer|ausser|except)\b)",
    re.IGNORECASE,
)
# 0 to 20, then the tens, then hundred.
_NUMBER_WORDS = {
    "en": """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
        nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred""",
    "de": """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn
        neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert""",
    "cs": """nula jeden dva tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct šestnáct sedmnáct osmnáct
        devatenáct dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát sto""",
    "es": """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
        diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien""",
    "fr": """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf
        vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent""",
}
_MORE: dict[str, dict[str, int]] = {
    "en": {"twice": 2, "both": 2, "dozen": 12},
    "de": {"beide": 2, "beiden": 2, "zweimal": 2},
    "cs": {"dvě": 2, "oba": 2, "obě": 2, "dvakrát": 2},
    "es": {"ambos": 2, "ambas": 2},
}
LANGUAGES = tuple(_NUMBER_WORDS)


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Half-open ranges of the parts of a sentence that contrast with one another; one range when none do."""
    found: list[tuple[int, int]] = []
    place = 0
    for match in _CONTRAST.finditer(sentence):
        found.append((place, match.end()))
        place = match.end()
    found.append((place, len(sentence)))
    return [(start, end) for start, end in found if sentence[start:end].strip()]


def denial(text: str, language: str | None) -> str | None:
    """The first word that denies, as written; None without one. For a language without a list always None."""
    return _first(_denials(language), text)


def denials(text: str, language: str | None) -> list[tuple[int, int]]:
    """The half-open ranges of all words that deny."""
    pattern = _denials(language)
    return [match.span() for match in pattern.finditer(text)] if pattern else []


def caution(text: str, language: str | None) -> str | None:
    """The first word of caution ("may", "probably", "claims"), as written; None without one."""
    return _first(_cautions(language), text)


def negated_by_prefix(word: str, others: set[str], language: str | None) -> bool:
    """Whether a folded Czech word is one of `others` with "ne-" before it: the language denies inside the verb."""
    return language == "cs" and len(word) > 4 and word.startswith("ne") and any(_alike(word[2:], other) for other in others)


def number_words(language: str | None) -> dict[str, int]:
    """Folded number words of a language with their values: 0 to 20, the tens, hundred; of English when the language has no list.

    One is left out: in most languages it is an article.
    """
    return _number_words(language if language in _NUMBER_WORDS else "en")


def _alike(one: str, other: str) -> bool:
    shared = min(len(one), len(other))
    return shared >= 4 and one[: max(4, shared - 2)] == other[: max(4, shared - 2)]


def _first(pattern: re.Pattern[str] | None, text: str) -> str | None:
    match = pattern.search(text) if pattern else None
    return match.group() if match else None


@lru_cache(maxsize=16)
def _denials(language: str | None) -> re.Pattern[str] | None:
    if language not in _DENIAL:
        return None
    # "NO" is nitric oxide or a country; who shouts whole sentences is not understood.
    return re.compile(rf"\b(?!NO\b)(?i:{_DENIAL[language]})(?!\w)")


@lru_cache(maxsize=16)
def _cautions(language: str | None) -> re.Pattern[str] | None:
    if language not in _CAUTION:
        return None
    # "May" with a capital is a month or a name.
    return re.compile(rf"\b(?!May\b)(?i:{_CAUTION[language]})(?!\w)")


@lru_cache(maxsize=16)
def _number_words(language: str) -> dict[str, int]:
    values = [*range(21), *range(30, 101, 10)]
    listed = zip(_NUMBER_WORDS[language].split(), values, strict=True)
    return {fold(word): value for word, value in listed if value != 1} | _MORE.get(language, {})
