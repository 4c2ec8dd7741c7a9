"""Small words and closed classes that decide what a sentence says, by concept, so that two texts can be held against each other."""

from __future__ import annotations

import re
from functools import lru_cache

from sourcebook_core.text.lexemes import fold

# concept: words by language; "*" stands for any ending. What bounds a statement must be the same on both sides.
BOUNDS: dict[str, dict[str, str]] = {
    "all": {
        "en": "all every each everyone everybody everything always entire entirely whole wholly both any",
        "de": "alle allen aller alles jede jeder jedes jeden jedem immer stets sämtlich* ganze* beide*",
        "cs": "všichni všechny všechno všech všem všemi vše každ* vždy celý celá celé celou oba obě",
        "es": "todo todos toda todas cada siempre ambos ambas",
        "fr": "tous toutes tout toute chaque toujours",
    },
    "some": {
        "en": "some several few certain sometimes occasionally partly partially",
        "de": "einige* manche* mehrere* wenige* manchmal teils teilweise gelegentlich",
        "cs": "někteří některé některá některých některým několik občas někdy zčásti částečně málokter*",
        "es": "algunos algunas algún alguna varios varias pocos",
        "fr": "certains certaines quelques plusieurs parfois",
    },
    "most": {
        "en": "most mostly majority usually generally typically often frequently mainly",
        "de": "meisten meist meistens mehrheit oft häufig gewöhnlich üblicherweise überwiegend",
        "cs": "většina většiny většině většinou obvykle často zpravidla převážně",
        "es": "mayoría normalmente generalmente habitualmente",
        "fr": "plupart majorité souvent généralement habituellement",
    },
    "only": {
        "en": "only solely exclusively merely",
        "de": "nur ausschließlich lediglich bloß",
        "cs": "jen pouze jenom výhradně toliko",
        "es": "sólo solo solamente únicamente exclusivamente",
        "fr": "seulement uniquement exclusivement",
    },
    "except": {
        "en": "except unless without outside excluding",
        "de": "außer ausser ohne außerhalb ausgenommen",
        "cs": "kromě mimo bez vyjma",
        "es": "excepto salvo sin",
        "fr": "sauf sans hors excepté",
    },
    "nearly": {
        "en": "almost nearly hardly barely scarcely",
        "de": "fast beinahe kaum nahezu",
        "cs": "téměř skoro sotva málem",
        "es": "casi apenas",
        "fr": "presque guère",
    },
    "can": {
        "en": "can could",
        "de": "kann können konnte* könn*",
        "cs": "může mohou mohl* lze",
        "es": "puede* podr*",
        "fr": "peut peuvent pourr*",
    },
    "never": {
        "en": "never",
        "de": "nie niemals",
        "cs": "nikdy",
        "es": "nunca jamás",
        "fr": "jamais",
    },
    "if": {
        "en": "if unless provided whether",
        "de": "wenn falls sofern ob",
        "cs": "pokud jestliže jestli zda",
        "es": "si",
        "fr": "si",
    },
    "because": {
        "en": "because due owing thanks therefore cause* reason* why",
        "de": "weil wegen aufgrund deshalb daher darum denn dank verursach* grund",
        "cs": "protože kvůli díky neboť proto příčin* způsob*",
        "es": "porque debido causa causó motivo gracias",
        "fr": "parce car cause causé raison grâce",
    },
}
# The same, of several words.
PHRASES: dict[str, dict[str, str]] = {
    "over": {
        "en": r"more than|over (?=\d)|at least|no fewer than|no less than",
        "de": r"mehr als|über (?=\d)|mindestens|wenigstens|nicht weniger als",
        "cs": r"v[íi]ce než|víc než|přes (?=\d)|nejméně|alespoň|aspoň",
        "es": r"más de|al menos|por lo menos",
        "fr": r"plus de|au moins",
    },
    "under": {
        "en": r"less than|fewer than|up to|at most|no more than|no longer than|under (?=\d)|below (?=\d)|no later than",
        "de": r"weniger als|bis zu|höchstens|nicht mehr als|unter (?=\d)|spätestens",
        "cs": r"méně než|nejvýše|maximálně|nanejvýš|nejpozději",
        "es": r"menos de|hasta|como máximo",
        "fr": r"moins de|jusqu['\u2019]|au plus",
    },
}
# Two sides of one axis: what one side has may not stand against the other.
AXES: dict[str, dict[str, str]] = {
    "up": {
        "en": "rise* rose grow* grew increas* gain* climb* raise* higher more double* expand* faster",
        "de": "steig* stieg* wachs* wuchs* zunahm* zunehm* erhöh* mehr höher* verdoppel* schneller*",
        "cs": "rost* vzrost* stoup* zvýš* zvyš* více víc vyšší rychlej*",
        "es": "aument* sub* crec* más mayor",
        "fr": "augment* mont* croî* hausse supérieur",
    },
    "down": {
        "en": "fall* fell drop* declin* decreas* reduc* lower* less fewer shrink* shrank halv* slow*",
        "de": "sink* sank* fiel* fällt abnahm* abnehm* senk* weniger verringer* niedriger* halbier* langsamer*",
        "cs": "kles* poklesl* snížil* sniž* méně míň nižší pomalej*",
        "es": "disminu* baj* menos menor redu*",
        "fr": "diminu* baiss* rédui* inférieur",
    },
    "open": {
        "en": "open* start* begin* began allow* permit* accept*",
        "de": "offen öffne* geöffnet eröffn* beginn* begann erlaub* darf dürfen",
        "cs": "otevř* otvír* otevír* zač* povol* smí smějí",
        "es": "abiert* abr* empez* comenz* permit*",
        "fr": "ouv* commenc* perm* autoris*",
    },
    "shut": {
        "en": "clos* shut end* stop* forbid* forbidden prohibit* ban* reject* refus*",
        "de": "geschlossen schließ* schloss gesperrt beend* ende* verbot* verbiet*",
        "cs": "zavř* zavír* uzavř* skonč* končí zakáz* zakaz*",
        "es": "cerr* termin* prohib* rechaz*",
        "fr": "ferm* fini* interdi* refus*",
    },
    "before": {
        "en": "before earlier early until first",
        "de": "bevor früher früh vorher zuerst",
        "cs": "než dříve dřív brzy nejdřív",
        "es": "antes hasta",
        "fr": "avant jusque",
    },
    "after": {
        "en": "after later late afterwards last",
        "de": "nachdem später spät danach zuletzt",
        "cs": "později pozdě poté potom",
        "es": "después tarde tras",
        "fr": "après tard",
    },
    "north": {"en": "north*", "de": "nord* nörd*", "cs": "sever*", "es": "nort*", "fr": "nord*"},
    "south": {"en": "south*", "de": "süd*", "cs": "jih* již*", "es": "sur*", "fr": "sud*"},
    "east": {"en": "east eastern eastward*", "de": "ost osten östlich*", "cs": "východ*", "es": "este oriental", "fr": "est oriental*"},
    "west": {"en": "west*", "de": "west*", "cs": "západ*", "es": "oeste occidental", "fr": "ouest occidental*"},
    "old": {"en": "old older oldest", "de": "alt* älter*", "cs": "star*", "es": "viej* mayor*", "fr": "vieux vieille* ancien*"},
    "young": {"en": "young* new newer", "de": "jung* jüng* neu*", "cs": "mlad* nov*", "es": "jóven* joven nuev*", "fr": "jeune* nouv*"},
    "big": {"en": "big* large* high* great* long longer", "de": "groß* größ* hoch hohe* lang lange*", "cs": "velk* vět* vysok* dlouh*"},
    "small": {"en": "small* little low short shorter", "de": "klein* niedrig* kurz*", "cs": "mal* menš* nízk* krátk*"},
    "warm": {"en": "warm* hot heat*", "de": "warm* heiß*", "cs": "tepl* hork*", "es": "calient* cálid*", "fr": "chaud*"},
    "cold": {"en": "cold* cool* chill*", "de": "kalt* kält* kühl*", "cs": "studen* chladn*", "es": "frí*", "fr": "froid*"},
    "wet": {"en": "wet* rain* moist*", "de": "nass* feucht* regen*", "cs": "mokr* vlhk* dešt*",
        "es": "lluv* húmed*", "fr": "pluie humide*"},
    "dry": {"en": "dry drier dryer drought*", "de": "trocken* dürr*", "cs": "such*", "es": "sec*", "fr": "sec sèche* sécheresse"},
    "better": {"en": "better best improv*", "de": "besser* beste* verbesser*", "cs": "lepší lépe zlepš*",
        "es": "mejor*", "fr": "meilleur* mieux"},
    "worse": {"en": "worse worst worsen*", "de": "schlechter* schlimm*", "cs": "horší hůř* zhorš*", "es": "peor*", "fr": "pire*"},
    "win": {"en": "win* won beat* defeat*", "de": "gewinn* gewann* sieg* schlug*", "cs": "vyhrá* porazil* zvítěz*",
        "es": "gan* venc*", "fr": "gagn* vainc* batt*"},
    "lose": {"en": "lose loses lost", "de": "verlor* verlier*", "cs": "prohrá* podlehl*", "es": "perd* pierd*", "fr": "perd*"},
    "inside": {"en": "inside within during", "de": "innerhalb während", "cs": "uvnitř během", "es": "dentro durante", "fr": "pendant"},
    "outside": {"en": "outside", "de": "außerhalb", "cs": "mimo", "es": "fuera", "fr": "dehors hors"},
    "minus": {"en": "minus below under", "de": "minus unter", "cs": "minus pod", "es": "menos bajo", "fr": "moins sous"},
    "plus": {"en": "plus above over", "de": "plus über", "cs": "plus nad", "es": "sobre", "fr": "dessus"},
}  # fmt: skip
OPPOSITE = {
    "up": "down", "open": "shut", "before": "after", "north": "south", "east": "west", "old": "young", "big": "small", "warm": "cold",
    "wet": "dry", "better": "worse", "win": "lose", "inside": "outside", "minus": "plus",
}  # fmt: skip
OPPOSITE |= {there: here for here, there in OPPOSITE.items()}
# Members of one class: another member of it is another fact.
CLASSES: dict[str, dict[str, str]] = {
    "second": {"en": "second seconds", "de": "sekunde*", "cs": "sekund* vteřin*", "es": "segundos", "fr": "seconde secondes"},
    "minute": {"en": "minute*", "de": "minute*", "cs": "minut*", "es": "minuto*", "fr": "minute*"},
    "hour": {"en": "hour*", "de": "stunde* stünd* uhr", "cs": "hodin*", "es": "hora horas", "fr": "heure*"},
    "day": {"en": "day days daily", "de": "tag tage tagen täglich*", "cs": "den dny dnů dní denně dnech",
        "es": "día días", "fr": "jour jours"},
    "week": {"en": "week*", "de": "woche wochen wöchentlich", "cs": "týden týdn*", "es": "semana*", "fr": "semaine*"},
    "month": {"en": "month*", "de": "monat*", "cs": "měsíc*", "es": "mes meses", "fr": "mois"},
    "year": {"en": "year* annual*", "de": "jahr jahre jahren jahres jährlich*", "cs": "rok roku roky roce roků let letech ročně",
        "es": "año*", "fr": "an ans année*"},
    "gram": {"en": "gram grams", "de": "gramm", "cs": "gram gramů gramy", "es": "gramo*", "fr": "gramme*"},
    "kilogram": {"en": "kilo* kg", "de": "kilo* kg", "cs": "kilo* kg", "es": "kilo* kg", "fr": "kilo* kg"},
    "tonne": {"en": "ton tons tonne*", "de": "tonne*", "cs": "tun tuny tuna tunu", "es": "tonelada*", "fr": "tonne*"},
    "metre": {"en": "metre* meter*", "de": "meter*", "cs": "metr metry metrů metru", "es": "metro metros", "fr": "mètre*"},
    "kilometre": {"en": "kilomet* km", "de": "kilomet* km", "cs": "kilomet* km", "es": "kilómet* km", "fr": "kilomèt* km"},
    "litre": {"en": "litre* liter*", "de": "liter*", "cs": "litr*", "es": "litro*", "fr": "litre*"},
    "percent": {"en": "percent per-cent", "de": "prozent*", "cs": "procent*", "es": "ciento", "fr": "pourcent"},
    "euro": {"en": "euro*", "de": "euro*", "cs": "eur*", "es": "euro*", "fr": "euro*"},
    "dollar": {"en": "dollar*", "de": "dollar*", "cs": "dolar*", "es": "dólar*", "fr": "dollar*"},
    "monday": {"en": "monday*", "de": "montag*", "cs": "pondělí pondělk* pondělní*", "es": "lunes", "fr": "lundi*"},
    "tuesday": {"en": "tuesday*", "de": "dienstag*", "cs": "úterý úterk* úterní*", "es": "martes", "fr": "mardi*"},
    "wednesday": {"en": "wednesday*", "de": "mittwoch*", "cs": "středa středu středě středy", "es": "miércoles", "fr": "mercredi*"},
    "thursday": {"en": "thursday*", "de": "donnerstag*", "cs": "čtvrtek čtvrtk* čtvrteč*", "es": "jueves", "fr": "jeudi*"},
    "friday": {"en": "friday*", "de": "freitag*", "cs": "pátek pátk* páteč*", "es": "viernes", "fr": "vendredi*"},
    "saturday": {"en": "saturday*", "de": "samstag* sonnabend*", "cs": "sobota sobotu sobotě soboty sobotní*",
        "es": "sábado*", "fr": "samedi*"},
    "sunday": {"en": "sunday*", "de": "sonntag*", "cs": "neděle neděli nedělní*", "es": "domingo*", "fr": "dimanche*"},
    "january": {"en": "january", "de": "januar* jänner*", "cs": "leden ledna lednu", "es": "enero", "fr": "janvier"},
    "february": {"en": "february", "de": "februar*", "cs": "únor února únoru", "es": "febrero", "fr": "février"},
    "march": {"en": "march", "de": "märz*", "cs": "březen března březnu", "es": "marzo", "fr": "mars"},
    "april": {"en": "april", "de": "april*", "cs": "duben dubna dubnu", "es": "abril", "fr": "avril"},
    "may_month": {"en": "May", "de": "mai", "cs": "květen května květnu", "es": "mayo", "fr": "mai"},
    "june": {"en": "june", "de": "juni*", "cs": "červen června červnu", "es": "junio", "fr": "juin"},
    "july": {"en": "july", "de": "juli*", "cs": "červenec července červenci", "es": "julio", "fr": "juillet"},
    "august": {"en": "august", "de": "august*", "cs": "srpen srpna srpnu", "es": "agosto", "fr": "août"},
    "september": {"en": "september", "de": "september*", "cs": "září", "es": "septiembre", "fr": "septembre"},
    "october": {"en": "october", "de": "oktober*", "cs": "říjen října říjnu", "es": "octubre", "fr": "octobre"},
    "november": {"en": "november", "de": "november*", "cs": "listopad*", "es": "noviembre", "fr": "novembre"},
    "december": {"en": "december", "de": "dezember*", "cs": "prosinec prosince prosinci", "es": "diciembre", "fr": "décembre"},
    "spring": {"en": "spring", "de": "frühling* frühjahr*", "cs": "jaro jara jaře", "es": "primavera", "fr": "printemps"},
    "summer": {"en": "summer*", "de": "sommer*", "cs": "léto léta létě letní*", "es": "verano*", "fr": "été"},
    "autumn": {"en": "autumn* fall", "de": "herbst*", "cs": "podzim*", "es": "otoño*", "fr": "automne*"},
    "winter": {"en": "winter*", "de": "winter*", "cs": "zima zimy zimě zimu zimní*", "es": "invierno*", "fr": "hiver*"},
    "noon": {"en": "noon midday", "de": "mittag*", "cs": "poledn*", "es": "mediodía", "fr": "midi"},
    "night": {"en": "night* midnight", "de": "nacht nachts mitternacht", "cs": "noc noci půlnoc*", "es": "noche*", "fr": "nuit minuit"},
    "morning": {"en": "morning*", "de": "morgen* vormittag*", "cs": "ráno dopoledne", "es": "mañana*", "fr": "matin*"},
    "evening": {"en": "evening*", "de": "abend*", "cs": "večer*", "es": "tarde*", "fr": "soir*"},
}  # fmt: skip
_YEAR = re.compile(r"\b(?:roce|roku|jahre?|year|año|an)\s+(?=\d{4}\b)", re.IGNORECASE)  # "im Jahr 1998" is "in 1998"
_THAN_EVER = re.compile(r"\bque (?:nunca|jamais|jamás)\b", re.IGNORECASE)  # denies nothing
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)?")


def bounds(text: str, language: str | None) -> frozenset[str]:
    """Which of `BOUNDS` the words of a text hold; nothing for a language without lists."""
    plain = _THAN_EVER.sub("", text)
    several = {
        concept for concept, words in PHRASES.items() if language in words and re.search(rf"\b(?:{words[language]})", plain, re.IGNORECASE)
    }
    return _found("bounds", plain, language) | several


def sides(text: str, language: str | None) -> frozenset[str]:
    """Which sides of `AXES` the words of a text hold."""
    return _found("axes", text, language)


def members(text: str, language: str | None) -> frozenset[str]:
    """Which members of `CLASSES` the words of a text hold: units, days, months, seasons, times of day."""
    return _found("classes", _YEAR.sub("", text), language)


def written(concept: str, text: str, language: str | None) -> str:
    """The word of a text that stands for a concept, as written; the concept's name where several words do."""
    for match in _WORD.finditer(text):
        if any(concept in _found(kind, match.group(), language) for kind in ("bounds", "axes", "classes")):
            return match.group()
    several = PHRASES.get(concept, {}).get(language or "")
    phrase = re.search(rf"\b(?:{several})", text, re.IGNORECASE) if several else None
    return phrase.group() if phrase else concept


def _found(kind: str, text: str, language: str | None) -> frozenset[str]:
    whole, beginnings = _index(kind, language)
    found: set[str] = set()
    for match in _WORD.finditer(text):
        for form in {fold(part) for part in (match.group(), *match.group().split("-"))}:
            found.update(whole.get(form, ()))
            found.update(concept for beginning, concept in beginnings if form.startswith(beginning))
        if match.group() == "May" and language == "en" and kind == "classes":
            found.add("may_month")
    return frozenset(found)


@lru_cache(maxsize=32)
def _index(kind: str, language: str | None) -> tuple[dict[str, tuple[str, ...]], tuple[tuple[str, str], ...]]:
    """Whole words with their concepts, and beginnings of words with theirs."""
    table = {"bounds": BOUNDS, "axes": AXES, "classes": CLASSES}[kind]
    whole: dict[str, tuple[str, ...]] = {}
    beginnings: list[tuple[str, str]] = []
    for concept, by_language in table.items():
        for word in by_language.get(language or "", "").split():
            if word == "May":
                continue
            if word.endswith("*"):
                beginnings.append((fold(word[:-1]), concept))
            else:
                whole[fold(word)] = (*whole.get(fold(word), ()), concept)
    return whole, tuple(beginnings)
