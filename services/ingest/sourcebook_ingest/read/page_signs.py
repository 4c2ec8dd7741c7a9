"""Signs that the words of a web page are not its subject: "not found", a log-in, consent, scripts, a subscription. Pure.

In the five languages of the page: English, German, French, Spanish, Czech.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NOT_FOUND = _words(
    r"^\W*404\s*(?:$|[|:–—·-])|\b(?:error|fehler|erreur|chyba|http)\W*404\b"
    r"|\b404\W+(?:error|not found|page|seite|fehler|erreur|página|pagina|chyba|stránka)"
    r"|\bpage (?:was |is |could )?not (?:be )?found|^\W*not found\W*$|\bpage (?:doesn.t|does not|no longer) exist"
    r"|\bcan.?t (?:be found|find th)"
    r"|\bseite (?:wurde |konnte )?nicht gefunden|\bseite (?:existiert|gibt es) nicht"
    r"|\bpage (?:introuvable|non trouvée|inexistante)|\bpage n.existe (?:pas|plus)"
    r"|\bpágina (?:no encontrada|no existe|no disponible)|\bno se (?:ha )?encontr(?:ó|ado) la página"
    r"|\bstránka (?:nebyla nalezena|nenalezena|neexistuje)|\bpožadovaná stránka"
)
_LOGIN_TITLE = _words(
    r"(?:^|[|:–—·-])\W*(?:sign[ -]?in|log[ -]?in|anmelden|anmeldung|einloggen|connexion|se connecter|connectez-vous|identifiez-vous"
    r"|iniciar sesión|inicia sesión|inicie sesión|acceso de usuarios|přihlášení|přihlásit se|přihlaste se)(?:\b|$)"
)
_LOGIN_WANTED = _words(
    r"(?:please |you must |you need to |have to )(?:be logged in|be signed in|log in|sign in)\b(?! to (?:comment|reply|vote))"
    r"|\b(?:log|sign) in to (?:continue|view|read|access|see)|\bmelden sie sich (?:bitte )?an,? um|\bbitte (?:melden sie sich an|einloggen)"
    r"|\bveuillez vous (?:connecter|identifier)|\bconnectez-vous pour (?:lire|accéder|continuer|voir)"
    r"|\b(?:debe|debes|necesita|necesitas) iniciar sesión|\bini(?:cia|cie) sesión para"
    r"|\b(?:musíte se |prosím,? |pro pokračování se )přihlá(?:sit|ste)"
)
_LOGIN_PATH = _words(r"/(?:log-?in|sign-?in|sso|saml|oauth2?|authorize|anmelden|connexion|prihlaseni|wp-login\.php)(?:[/.?]|$)")
_CONSENT = _words(
    r"cookies?\b|consent|datenschutz|privacy (?:policy|settings)|einwilligung|zustimm|accepter|param[èe]tres de confidentialit|"
    r"consentimiento|privacidad|souhlas|soukrom"
)
_SCRIPT_WANTED = _words(
    r"(?:enable|activate|requires?|turn on|aktivier\w*|activer|activez|habilit\w+|povol\w+|zapn\w+)\W+(?:\w+\W+){0,4}javascript"
    r"|javascript\W+(?:\w+\W+){0,6}(?:enable|disabled|required|deaktiviert|désactivé|desactivado|vypnut)"
)
_PAYWALL = _words(
    r"\bsubscribe (?:now )?to (?:continue|read|keep reading)|\bsubscribers? only|\b(?:exclusive|only) (?:to|for) (?:our )?subscribers"
    r"|\balready a subscriber\b|\bnur für abonnent|\bmit (?:einem )?abo weiterlesen|\babonnieren,? um weiter|\bweiterlesen mit \w+\+?"
    r"|\bréservée? (?:à nos |aux )abonnés|\babonnez-vous pour (?:lire|continuer)|\bsolo para suscriptores|\bexclusivo para suscriptores"
    r"|\bsuscríbete para (?:leer|seguir)|\bpouze pro předplatitele|\bjen pro předplatitele|\bpředplaťte si|\bdočtete s předplatným"
)
# What publishers tell search engines (schema.org, isAccessibleForFree).
_PAID = _words(r"[\"']isAccessibleForFree[\"']\s*:\s*[\"']?false")
_PASSWORD_FIELD = _words(r"<input[^>]{0,500}type\s*=\s*[\"']?password")
_NAME_FIELD = _words(r"<input[^>]{0,500}(?:type\s*=\s*[\"']?email|name\s*=\s*[\"']?(?:user|login|email|identifier|loginfmt))")
# Phrases in a long page are of its subject, not of itself.
_NOTICE_CHARS, _TEASER_CHARS = 1500, 3000


def signs(source: str, names: Sequence[str], words: str, text: str, address: str) -> dict[str, int | bool]:
    """What speaks against a page: `source` is its HTML, `names` its title and first headings, `words` every word of it, `text` its
    main text, `address` where it was at the end.
    """
    wants_password = bool(_PASSWORD_FIELD.search(source))
    is_login_named = any(_LOGIN_TITLE.search(name) for name in names)
    is_login_wanted = len(words) < _NOTICE_CHARS and bool(_LOGIN_WANTED.search(words))
    return {
        "not_found": any(bool(_NOT_FOUND.search(name)) for name in names),
        "login": (is_login_named and (wants_password or bool(_NAME_FIELD.search(source))))
        or is_login_wanted
        or (wants_password and bool(_LOGIN_PATH.search(address))),
        "consent": len(_CONSENT.findall(text or words)),
        "wants_script": bool(_SCRIPT_WANTED.search(words)),
        "wants_password": wants_password,
        "paywall": bool(_PAID.search(source)) or (len(text) < _TEASER_CHARS and bool(_PAYWALL.search(words))),
    }
