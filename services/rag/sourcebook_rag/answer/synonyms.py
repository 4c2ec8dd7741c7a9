"""Common words that say the same, per language: a claim may use one where its passage uses the other."""

from __future__ import annotations

from functools import lru_cache

from sourcebook_core.text.lexemes import fold, stem

# One group a line. Only words that are hardly ever anything else; no member may weaken, bound or turn round what another says.
_GROUPS = {
    "en": """
        begin begins began begun start starts started commence commences commenced launch launched
        buy buys bought purchase purchases purchased
        need needs needed require requires required necessary
        help helps helped assist assists assisted aid
        get gets got receive receives received obtain obtains obtained
        give gives gave given provide provides provided
        build builds built construct constructs constructed erect erected
        hold holds held contain contains contained include includes included comprise comprises comprised
        employee employees staff worker workers
        car cars automobile automobiles
        quick quickly fast faster quicker rapid rapidly
        leave leaves left depart departs departed
        arrive arrives arrived reach reaches reached
        happen happens happened occur occurs occurred
        return returns returned
        doctor doctors physician physicians
        medicine medicines medication medications
        film films movie movies
        flat flats apartment apartments
        lorry lorries truck trucks
        illness illnesses disease diseases
        company companies firm firms
        big large
        spend spends spent pass passes passed
        amount amounts amounted equal equals total totals totalled
        found founded establish establishes established
        show shows showed shown
        end ends ended finish finishes finished
        buyer buyers purchaser purchasers
        child children kid kids
        choose chooses chose chosen select selects selected pick picks picked
        fix fixes fixed repair repairs repaired
        turn-off switch-off
        send sends sent
        keep keeps kept
        go goes went gone travel travels travelled traveled
        allow allows allowed permit permits permitted
        forbid forbids forbidden prohibit prohibits prohibited ban bans banned
        increase increases increased rise rises rose risen grow grows grew grown
        decrease decreases decreased fall falls fell fallen drop drops dropped decline declines declined
        """,
    "de": """
        beginnen beginnt begann begonnen starten startet startete anfangen fängt fing angefangen
        kaufen kauft kaufte gekauft erwerben erwirbt erwarb erworben
        brauchen braucht brauchte benötigen benötigt benötigte
        bekommen bekommt bekam erhalten erhält erhielt kriegen kriegt
        bauen baut baute gebaut errichten errichtet errichtete
        enthalten enthält enthielt
        auto autos wagen pkw
        schnell schneller rasch
        arzt ärzte ärztin mediziner
        medikament medikamente arznei arzneimittel
        firma firmen unternehmen betrieb betriebe
        krankheit krankheiten erkrankung erkrankungen
        passieren passiert geschehen geschieht geschah
        reparieren repariert reparierte instandsetzen
        wählen wählt wählte auswählen ausgewählt
        mitarbeiter mitarbeitende mitarbeiterin mitarbeiterinnen beschäftigte angestellte
        steigen steigt stieg gestiegen zunehmen zugenommen wachsen wächst wuchs gewachsen
        sinken sinkt sank gesunken abnehmen abgenommen fallen fällt fiel gefallen
        vermuten vermutet vermuteten annehmen angenommen
        vermutlich wahrscheinlich
        sterben stirbt starb starben gestorben eingehen gingen eingegangen
        gründen gründete gegründet
        dauern dauert dauerte
        etwa ungefähr rund circa
        bloß nur lediglich
        """,
    "cs": """
        začít začne začal začala začalo začíná zahájit zahájil zahájila
        koupit koupil koupila pořídit pořídil
        potřebovat potřebuje vyžadovat vyžaduje
        dostat dostal dostala získat získal získala obdržet obdržel
        postavit postavil postavila vybudovat vybudoval
        obsahovat obsahuje
        auto auta automobil automobily vůz vozy
        rychle rychleji
        lékař lékaři doktor doktoři
        firma firmy společnost podnik
        založit založil založila zakladatel zakladatelem
        asi zhruba přibližně
        jen pouze jenom
        každý každých
        zavřít zavřete uzavřít uzavřete
        skončit skončil skončila ukončit ukončil
        """,
    "es": """
        empezar empieza empezó comenzar comienza comenzó iniciar inició
        comprar compra compró adquirir adquirió
        necesitar necesita requerir requiere
        recibir recibió obtener obtuvo
        construir construyó edificar edificó
        contener contiene incluir incluye
        coche coches automóvil automóviles
        médico médicos doctor doctores
        empresa empresas compañía compañías
        rápido rápidamente
        """,
    "fr": """
        commencer commence commença débuter débute débuta
        acheter achète acheta acquérir acquiert
        recevoir reçoit reçut obtenir obtient obtint
        construire construit bâtir bâtit
        contenir contient comprendre comprend
        voiture voitures automobile automobiles
        médecin médecins docteur docteurs
        entreprise entreprises société sociétés
        rapide rapidement vite
        """,
}


def same_meaning(one: str, other: str, language: str | None) -> bool:
    """Whether two folded words stand in one group of the language."""
    mine = _group(one, language)
    return mine is not None and mine == _group(other, language)


@lru_cache(maxsize=8192)  # each word of a claim is held against each word of a passage
def _group(word: str, language: str | None) -> int | None:
    groups = _index(language)
    return groups.get(word) or groups.get(stem(word, language))


@lru_cache(maxsize=16)
def _index(language: str | None) -> dict[str, int]:
    """Each word and its stem with the number of its group, from 1; a stem of two groups is in none."""
    found: dict[str, int] = {}
    lines = [line.split() for line in _GROUPS.get(language or "", "").splitlines() if line.strip()]
    for number, words in enumerate(lines, 1):
        for word in words:
            found.setdefault(fold(word), number)
    for number, words in enumerate(lines, 1):
        for word in words:
            root = stem(fold(word), language)
            if found.setdefault(root, number) != number:
                found[root] = 0
    return {word: number for word, number in found.items() if number}
