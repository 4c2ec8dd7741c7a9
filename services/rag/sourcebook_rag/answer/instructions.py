"""The instructions of an answer by its profile: the profile's own rules, pinned facts, the policy of the route, language and length."""

from __future__ import annotations

from typing import Literal

from sourcebook_core.events import Route
from sourcebook_core.profiles import Profile
from sourcebook_rag import prompts

Style = Literal["shorter", "longer"]
OF_PROFILE = {
    "notebook": "answer",
    "docs": "answer_docs",
    "help": "answer_help",
    "persona": "answer_persona",
    "product": "answer_product",
}
# A persona's voice and a product's policy are no less compulsory for a small model: those get their own instructions, cut to fit.
SMALL_DOES = frozenset({"notebook", "docs", "help"})
STYLES: dict[Style, str] = {
    "shorter": "- Answer in at most two sentences.",
    "longer": "- Answer in detail: everything that the passages say on it, with conditions and exceptions.",
}
LANGUAGE_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian",
    "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def of(profile: Profile, route: Route, language: str | None, style: Style | None) -> tuple[str, str]:
    """Label and text of the instructions. The last line names the language, where it is sure (S0-54). Pure."""
    prompt = prompts.load(OF_PROFILE[profile.name])
    more = []
    if profile.prompt.pinned:
        more.append("- These facts are easily misread:\n" + "\n".join(f"  - {fact}" for fact in profile.prompt.pinned))
    if profile.routing.rules:
        about = f", about {route.technology}" if route.technology else ""
        more.append(prompts.load(f"policy_{route.answer_mode}").fill(technology=about))
    if style is not None:
        more.append(STYLES[style])
    more.append(language_line(language if profile.answer.name_language else None))
    audience = f"{profile.prompt.audience.strip()}\n\n" if profile.prompt.audience.strip() else ""
    return prompt.label, prompt.fill(audience=audience, more="\n".join(more))


def language_line(language: str | None) -> str:
    """The rule of the language to answer in: named where it is known, else that of the question."""
    name = LANGUAGE_NAMES.get((language or "").split("-")[0])
    return f"- Answer in {name}." if name else "- Answer in the language of the question."
