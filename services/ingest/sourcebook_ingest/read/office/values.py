"""Numbers and dates of cells as a person sees them: no float noise, dates by ISO, percent as percent."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from enum import Enum


class Format(Enum):
    """What a cell's number stands for."""

    NUMBER = "number"
    PERCENT = "percent"
    DATE = "date"
    TIME = "time"
    DURATION = "duration"


# Source: ECMA-376 part 1, 18.8.30 (numFmt): built-in formats, those of East Asian editions included.
_DATES = frozenset({*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)})
_TIMES = frozenset({*range(18, 22), *range(32, 36), 45, 47})
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_LAST_SERIAL = 2_958_466  # the day after 9999-12-31


def format_of(identifier: str, code: str | None) -> Format:
    """What a number format stands for: by its own code, else by its built-in number."""
    number = int(identifier) if identifier.isdecimal() else 0
    if code is None:
        if number in _DATES:
            return Format.DATE
        if number in _TIMES:
            return Format.TIME
        return Format.DURATION if number == 46 else Format.PERCENT if number in (9, 10) else Format.NUMBER
    bare = _LITERAL.sub("", code.split(";")[0]).casefold()
    if "general" in bare:
        return Format.NUMBER
    if "[" in bare:
        return Format.DURATION
    if re.search(r"[yd]", bare) or ("m" in bare and not re.search(r"[hs]", bare)):
        return Format.DATE
    if re.search(r"[hs]", bare):
        return Format.TIME
    return Format.PERCENT if "%" in bare else Format.NUMBER


def number_shown(value: float, *, is_percent: bool = False) -> str:
    """A number in at most 15 digits, what binary fractions add left out: 0.1 + 0.2 is 0.3; a percent as 12.5%."""
    value = value * 100 if is_percent else value
    text = format(value, ".15g")
    if "e" in text and 1e-7 <= abs(value) < 1e21:
        text = format(value, ".0f") if abs(value) >= 1 else format(value, ".20f").rstrip("0")
    return ("0" if text == "-0" else text) + ("%" if is_percent else "")


def serial_shown(value: float, wanted: Format, is_1904: bool) -> str | None:
    """A date, time or duration stored as days since the workbook's epoch; None when it is none.

    Source: ECMA-376 part 1, 18.17.4: day 60 of the 1900 system is the 29 February that never was.
    """
    if not -_LAST_SERIAL < value < _LAST_SERIAL:
        return None
    seconds = round(value * 86_400)
    if wanted is Format.DURATION:
        sign = "-" if seconds < 0 else ""
        return f"{sign}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60:02}:{abs(seconds) % 60:02}"
    if value < 0:
        return None
    days, rest = divmod(seconds, 86_400)
    time = f"{rest // 3600:02}:{rest // 60 % 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
    if wanted is Format.TIME and days == 0:
        return time
    if not is_1904 and days < 1:
        return time
    epoch = datetime(1904, 1, 1, tzinfo=UTC) if is_1904 else datetime(1899, 12, 31 if days < 60 else 30, tzinfo=UTC)
    date = (epoch + timedelta(days=days)).strftime("%Y-%m-%d") if days != 60 or is_1904 else "1900-02-29"
    return date if rest == 0 and wanted is Format.DATE else f"{date} {time}"
