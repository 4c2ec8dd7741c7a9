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


def is_refusal(sentence: str) -> bool:
    """Whether a sentence without a mark says that sources are silent, or that its writer does not know."""
    return _REFUSAL.search(sentence) is not None
