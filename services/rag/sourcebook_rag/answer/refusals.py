"""Words by which an answer says that it has none: a second net under the mark NOT_COVERED, per language."""

from __future__ import annotations

import re

# What says that sources are silent or that the writer does not know: no claim about the world. Source: A13.
_PHRASES = (
    # English
    r"(?:sources?|passages?|documents?|texts?|notes?|notebook|context|excerpts?)\b[^.]{0,40}\b(?:do(?:es)? not|don[\u2019']t"
    r"|doesn[\u2019']t|did not|didn[\u2019']t)\b"
    r"|what (?:i was|i[\u2019']ve been|i have been|you[\u2019']ve|you have|you) g[ia]ven?\b[^.]{0,30}\b(?:not|n[\u2019']t|nothing|no)\b"
    r"|no (?:information|mention|answer|source|notes?)\b"
    r"|(?:could|can)(?:not|n[\u2019']t| not) (?:find|answer|say|tell|be (?:found|answered))"
    r"|nothing (?:in (?:your|the|my) (?:sources|notes)|about (?:that|this|it)\b)|unable to (?:find|answer)"
    r"|not (?:covered|mentioned|stated|specified|included|contained)\b|i (?:do not|don[\u2019']t) (?:know|have (?:any|that|this))\b"
    # German
    r"|(?:quellen|passagen|dokumente?|texte?|abschnitte?|unterlagen|notizen)\b[^.]{0,40}\b(?:kein\w*|nicht|nichts)"
    r"|nichts in (?:ihren|deinen|meinen) (?:quellen|notizen|unterlagen)|keine (?:angaben?|informationen?|notiz\w*)"
    r"|(?:dazu|darüber|davon) (?:steht|weiß|habe|finde|ist)\b[^.]{0,20}\b(?:nicht\w?|kein\w*)|geht (?:daraus )?nicht hervor"
    r"|(?:weiß|kann) ich (?:leider |dir |ihnen |das )*nicht|was ich (?:bekommen|erhalten) habe\b[^.]{0,30}\b(?:nicht\w?|kein\w*)"
    # Czech
    r"|(?:zdroj\w*|pasáž\w*|dokument\w*|text\w*|poznámk\w*|podklad\w*)\b[^.]{0,40}\b(?:ne\w{3,}|není|nic)|nic (?:ve vašich zdroj\w*|o tom)"
    r"|žádn\w+ informac\w+|(?:to )?(?:bohužel )?nevím\b|nedokážu (?:říct|odpovědět)|(?:se )?(?:o tom )?nezmiňuj\w+"
    r"|není (?:tam |v tom )?uveden\w*"
    # Spanish
    r"|(?:fuentes|pasajes|documentos?|textos?|notas|apuntes)\b[^.]{0,40}\bno\b|nada en sus fuentes|ninguna información"
    r"|no tengo (?:información|datos)"
    r"|no (?:lo )?sé\b|no (?:se )?(?:menciona|indica|aparece|consta|dice)\w*|no puedo (?:decir|responder|encontrar)"
    # French
    r"|(?:sources|passages|documents?|textes?|notes)\b[^.]{0,40}\b(?:ne|n[\u2019'])|rien dans vos sources"
    r"|aucune (?:information|mention|source)"
    r"|je ne (?:sais|trouve|peux) pas|je n[\u2019']ai (?:pas|aucune)|n[\u2019']est pas (?:mentionné|précisé|indiqué)e?"
)
_REFUSAL = re.compile(rf"\b(?:{_PHRASES})", re.IGNORECASE)


# The same, so strict that a sentence about the world is not taken for it: the sources are what is silent ("The documents do not say"),
# with a verb of telling, or the writer says so of themselves at the sentence's start.
_AHEAD = r"\A\W*(?:(?:unfortunately|sorry|however|but|leider|bohužel|lamentablemente|malheureusement)\b,? )*"
_SOURCES = r"(?:sources?|passages?|documents?|texts?|notes|notebook|context|excerpts?)\b(?! (?:that|which|who)\b)"
_TELL = (
    r"(?:say|tell|mention|state|specify|contain|cover|include|give|provide|answer|address|discuss|describe|name|explain|indicate|list"
    r"|reveal|offer|refer|identify|clarify)"
)
_SILENT = (
    rf"{_SOURCES}[^.]{{0,30}}\b(?:do|does|did)(?: not|n[\u2019']t)\b[^.]{{0,20}}\b{_TELL}\b"
    rf"|{_SOURCES}[^.]{{0,30}}\b(?:{_TELL}s?|said|told|has|have) (?:nothing|no (?:information|mention|answer|details?))\b"
    r"|what (?:i was|i[\u2019']ve been|i have been|you[\u2019']ve|you have|you) g[ia]ven?\b[^.]{0,30}\b(?:not|n[\u2019']t|nothing|no)\b"
    r"|nothing in (?:your|the|my|these) (?:sources|notes|documents|passages)\b"
    rf"|not (?:covered|mentioned|stated|specified|included|contained|given|found)\b[^.]{{0,20}} (?:in|by) [^.]{{0,20}}{_SOURCES}"
    r"|not (?:mentioned|stated|specified)\W*\Z|(?:could|can)(?:not|n[\u2019']t| not) be (?:found|answered) (?:in|from)\b"
    rf"|{_AHEAD}(?:(?:there (?:is|was)|i (?:have|found|find|see)) )?no (?:information|mention|answer)\b"
    rf"|{_AHEAD}(?:i|we) (?:could|can)(?:not|n[\u2019']t| not) (?:find|answer|say|tell)"
    rf"|{_AHEAD}(?:i|we) (?:do not|don[\u2019']t) (?:know|have (?:any|that|this))"
    rf"|{_AHEAD}i(?: a|[\u2019'])m (?:unable|not able) to (?:find|answer|say)|{_AHEAD}(?:this|that|it) is(?: not|n[\u2019']t) covered\b"
    # German
    r"|(?:quellen|passagen|dokumente?n?|texten?|abschnitte?n?|unterlagen|notizen)\b[^.]{0,40}\b"
    r"(?:(?:sag|erwähn|nenn|enth[aä]lt|steh|geb|beschreib|beantwort|erklär|bericht|find)\w*[^.]{0,25}\b(?:nicht|nichts|kein\w*)"
    r"|(?:nicht|nichts|kein\w*)\b[^.]{0,25}\b(?:erwähn|genannt|steh|enthalten|beschrieben|beantwortet|gesagt|angegeben)\w*)"
    rf"|nichts in (?:ihren|deinen|meinen|den) (?:quellen|notizen|unterlagen)|{_AHEAD}keine (?:angaben?|informationen?|notiz\w*)"
    r"|(?:dazu|darüber|davon) (?:steht|weiß|habe|finde)\b[^.]{0,20}\b(?:nicht\w?|kein\w*)|geht (?:daraus )?nicht hervor"
    rf"|{_AHEAD}(?:das |es )?(?:weiß|kann) ich (?:leider |dir |ihnen |das )*nicht"
    rf"|{_AHEAD}ich (?:weiß|finde) (?:es |das |dazu )?(?:leider )?nicht"
    # Czech
    r"|(?:zdroj|pasáž|dokument|text|poznámk|podklad)\w*[^.]{0,40}\bne(?:říka|uvád|zmiňuj|obsah|popis|odpovíd|mluv|vysvětl)\w*"
    r"|(?:není|nejsou)\b[^.]{0,30}\b(?:zdroj|pasáž|dokument|text|poznámk|podklad)\w*[^.]{0,20}\b(?:uveden|zmíněn|popsán|nic)\w*"
    r"|(?:zdroj|pasáž|dokument|text|poznámk|podklad)\w*[^.]{0,30}\b(?:není|nejsou)\b[^.]{0,20}\b(?:uveden|zmíněn|popsán)\w*"
    rf"|nic ve vašich zdroj\w*|{_AHEAD}žádn\w+ informac\w+|{_AHEAD}(?:to )?nevím\b|{_AHEAD}nedokážu (?:říct|odpovědět)"
    # Spanish
    r"|(?:fuentes|pasajes|documentos?|textos?|notas|apuntes)\b[^.]{0,40}\bno (?:lo |se |me )?"
    r"(?:dice|menciona|indica|contiene|incluye|explica|responde|especifica|habla|ofrece|aclara)\w*|nada en sus fuentes"
    rf"|no se (?:menciona|indica|especifica)\w*|{_AHEAD}(?:no (?:hay|tengo) |ninguna )(?:información|datos)"
    rf"|{_AHEAD}no (?:lo )?sé\b|{_AHEAD}no puedo (?:decir|responder|encontrar)"
    # French
    r"|(?:sources|passages|documents?|textes?|notes)\b[^.]{0,40}\bn(?:e |[\u2019'])(?:le |la |y |en )?"
    r"(?:dise|dit|mentionn|indiqu|contien|précis|expliqu|répond|parl|évoqu|donn|fourni|abord)\w*|rien dans vos sources"
    rf"|{_AHEAD}(?:il n[\u2019']y a )?aucune (?:information|mention)|{_AHEAD}je ne (?:sais|trouve|peux) pas"
    rf"|{_AHEAD}je n[\u2019']ai (?:pas|aucune)|n[\u2019']est pas (?:mentionné|précisé|indiqué)e?"
)
_SAYS_SILENT = re.compile(rf"(?<!\w)(?:{_SILENT})", re.IGNORECASE)


def is_refusal(sentence: str) -> bool:
    """Whether a sentence without a mark says that sources are silent, or that its writer does not know. A wide net: it may take what
    states something, where silence is the safer side (no source is told under a refusal)."""
    return _REFUSAL.search(sentence) is not None


def says_silent(sentence: str) -> bool:
    """The same by a narrow net: what is not surely a refusal is a statement, and is told as without a source."""
    return _SAYS_SILENT.search(sentence) is not None
