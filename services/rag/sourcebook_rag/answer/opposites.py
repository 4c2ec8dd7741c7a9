"""Words that turn a statement round: pairs of opposite directions, and prefixes that deny."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from sourcebook_core.text.lexemes import fold, stem

# One axis a line: words of one direction | words of the other. Forms that a stemmer cannot join are spelled out.
_AXES = {
    "en": """
        increase rise rose risen grow grew grown gain higher raise elevate enhance expand boost upregulate accelerate strengthen augment
        | decrease fall fell fallen drop decline reduce lower diminish attenuate downregulate shrink shrank weaken lessen impair suppress
        allow permit enable let | forbid forbidden prohibit ban prevent disallow block
        create add build built open start begin began begun launch introduce install
        | delete remove destroy close stop end abolish cancel withdraw uninstall
        accept approve agree adopt | reject refuse oppose disagree dismiss
        improve better benefit protect ameliorate | worsen worse harm damage aggravate exacerbate impair
        cause induce promote trigger activate stimulate | prevent inhibit suppress block deactivate
        positive | negative
        before | after
        above | below
        more | less fewer
        most | least
        win won | lose lost
        buy bought | sell sold
        high large big | low small little
        early earlier | late later
        minimum | maximum
        include contain | exclude lack
        lengthen prolong extend longer | shorten shorter
        accurate sensitive effective | inaccurate insensitive resistant ineffective
        """,
    "de": """
        steigen steigt stieg gestiegen erhöhen erhöht wachsen wuchs zunehmen höher mehr verlängern
        | sinken sinkt sank gesunken senken fallen fällt fiel gefallen abnehmen verringern reduzieren niedriger weniger verkürzen
        erlauben erlaubt gestatten gestattet | verbieten verboten untersagen untersagt
        öffnen eröffnen beginnen begann erstellen hinzufügen anlegen | schließen schloss geschlossen beenden löschen entfernen
        annehmen genehmigen zustimmen | ablehnen abgelehnt verweigern
        verbessern besser | verschlechtern schlechter
        positiv | negativ
        gewinnen gewann gewonnen | verlieren verlor verloren
        kaufen | verkaufen
        hoch groß | niedrig klein
        früh früher | spät später
        mindestens | höchstens
        """,
    "cs": """
        růst rostl vzrostl stoupat stoupl zvýšit vyšší více | klesat klesl snížit nižší méně
        povolit povolen | zakázat zakázán
        otevřít otevřen vytvořit přidat začít | zavřít zavřen smazat odstranit skončit
        přijmout schválit | odmítnout zamítnout
        zlepšit lepší | zhoršit horší
        pozitivní kladný | negativní záporný
        před | po
        vyhrát | prohrát
        koupit | prodat
        vysoký velký | nízký malý
        """,
    "es": """
        aumentar aumentó subir subió crecer mayor más | disminuir disminuyó bajar bajó reducir menor menos
        permitir permitido | prohibir prohibido
        abrir crear añadir empezar | cerrar borrar eliminar terminar
        aceptar aprobar | rechazar
        mejorar mejor | empeorar peor
        positivo | negativo
        antes | después
        ganar | perder
        comprar | vender
        alto grande | bajo pequeño
        """,
    "fr": """
        augmenter augmente monter croître supérieur hausse | diminuer diminue baisser baisse réduire réduit inférieur moins
        permettre permis autoriser | interdire interdit
        ouvrir ouvert créer ajouter commencer | fermer fermé supprimer effacer finir
        accepter approuver | refuser rejeter
        améliorer meilleur | aggraver pire
        positif | négatif
        avant | après
        gagner | perdre
        acheter | vendre
        haut grand | bas petit
        """,
}
_PREFIXES = {
    "en": ("un", "in", "im", "ir", "il", "dis", "de", "non", "mis"),
    "de": ("un", "nicht", "miss"),
    "cs": ("ne",),
    "es": ("in", "im", "des", "dis"),
    "fr": ("in", "im", "dé", "dés", "non", "mal"),
}
_MIN_ROOT = 5  # of a stem: "unit" does not deny "it"


def opposed(ours: Set[str], theirs: Set[str], language: str | None) -> str | None:
    """The word of `theirs` that points the other way from one of `ours` while nothing of `theirs` points the same way.

    Both are sets of folded words. None for a language without a list.
    """
    our_stems = {stem(word, language) for word in ours}
    their_stems = {stem(word, language): word for word in theirs}
    for one, other in _axes(language):
        for here, there in ((one, other), (other, one)):
            if our_stems & here and not our_stems & there and not their_stems.keys() & here and their_stems.keys() & there:
                return their_stems[min(their_stems.keys() & there)]
    return _denied_by_prefix(ours, theirs, language)


def _denied_by_prefix(ours: Set[str], theirs: Set[str], language: str | None) -> str | None:
    """A word that one side has and the other only with "un-", "in-", "de-" before it."""
    prefixes = _PREFIXES.get(language or "", ())
    for one, other in ((ours, theirs), (theirs, ours)):
        bare = {stem(word, language) for word in other}
        same = {stem(word, language) for word in one}
        for word in sorted(one):
            for prefix in prefixes:
                root = stem(word[len(prefix) :], language)
                if (
                    word.startswith(prefix)
                    and len(root) >= _MIN_ROOT
                    and root in bare
                    and stem(word, language) not in bare
                    and root not in same
                ):
                    return word
    return None


@lru_cache(maxsize=16)
def _axes(language: str | None) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The axes of a language as pairs of sets of stems."""
    listed = _AXES.get(language or "", "")
    joined = listed.replace("\n        |", " |")
    sides = [[side.split() for side in line.split("|")] for line in joined.splitlines() if "|" in line]
    return tuple((_stemmed(one, language), _stemmed(other, language)) for one, other in sides)


def _stemmed(words: list[str], language: str | None) -> frozenset[str]:
    return frozenset(stem(fold(word), language) for word in words)
