"""What a run found, as a table with a bar for each kind, as JSON, and beside another run."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sourcebook.evaluation import score
from sourcebook.evaluation.run import ARMS, Report, Row
from sourcebook_core.errors import PermanentError

BAR = 20
DEEPEST = score.CUTS[-1]


def lines(report: Report) -> list[str]:
    """The table for a terminal: a line for each kind and arm, bars of recall@5, then refusals and the time of a search."""
    told = [f"{report.set_name}: {len(report.rows)} questions over {report.documents} documents"]
    if report.degraded:
        told.append(f"The search was not whole: {', '.join(report.degraded)}.")
    heads = "".join(f"{f'recall@{cut}':>10}" for cut in score.CUTS)
    told += ["", f"{'kind':13}{'arm':9}{'n':>6}{heads}{'mrr':>8}  recall@{DEEPEST}"]
    made = report.as_json()
    found = made["table"]
    for kind in found["merged"]:
        for arm in ARMS:
            row = found[arm][kind]
            if "mrr" in row:
                told.append(_line(kind if arm == ARMS[0] else "", arm, row))
        refused = found["merged"][kind].get("refused")
        if refused is not None and "mrr" not in found["merged"][kind]:
            asked = found["merged"][kind]["questions"]
            told.append(f"{kind:13}{'refused':9}{asked:>6.0f}{refused:>10.3f}  (share for which nothing was found)")
        if "kept_out" in found["merged"][kind]:
            told.append(f"{kind:13}{'kept out':9}{found['merged'][kind]['kept_out']:>16.3f}  (share without what they forbid)")
    told += ["", f"a search: p50 {made['seconds']['p50']:.2f} s, p95 {made['seconds']['p95']:.2f} s"]
    if any(row.reply_kind for row in report.rows):
        sure = "sure answers: {clear}, right first {first}, among the first five {five}, wrong {wrong}, to nothing {none}"
        told.append(sure.format(**made["clear"]))
    return told + gains(report.rows)


def each(report: Report) -> list[str]:
    """A line for each question: whether what should be found was, and at which place."""
    return [_outcome(row) for row in report.rows]


def _outcome(row: Row) -> str:
    place = row.ranks["merged"]
    if row.kind == "unanswerable":
        is_good = not row.handed_over
        what = "nothing found, as it should be" if is_good else f"{row.handed_over} passages found, nothing should be"
    else:
        is_good = score.is_hit(place, DEEPEST)
        what = f"found, place {place}" if place else "not found"
    return f"{'ok' if is_good else 'MISSED':8}{row.question}  ({what})"


def _line(kind: str, arm: str, row: Mapping[str, float]) -> str:
    cells = "".join(f"{row[f'recall@{cut}']:>10.3f}" for cut in score.CUTS)
    bar = "█" * round(BAR * row[f"recall@{DEEPEST}"])
    return f"{kind:13}{arm:9}{row['questions']:>6.0f}{cells}{row['mrr']:>8.3f}  {bar}"


def gains(rows: Sequence[Row]) -> list[str]:
    """What merging gave over each list alone, by kind, in recall@5 with its interval."""
    told = ["", f"merged minus … in recall@{DEEPEST} (95 % interval; * counts)"]
    answerable = [row for row in rows if row.kind != "unanswerable"]
    for kind in [*dict.fromkeys(row.kind for row in answerable), "all"]:
        mine = [row for row in answerable if kind in (row.kind, "all")]
        for arm in ARMS[:2]:
            told.append(f"{kind:13}{arm:9}{_told(gain(mine, arm))}")
    return told


def gain(rows: Sequence[Row], arm: str) -> score.Interval:
    """What merging gave over one list alone, in recall@5."""
    return score.difference(hits(rows, "merged"), hits(rows, arm))


def hits(rows: Sequence[Row], arm: str) -> dict[str, float]:
    """1.0 for each question whose document stands among the first five of an arm, else 0.0."""
    return {row.qid: float(score.is_hit(row.ranks[arm], DEEPEST)) for row in rows}


def write(report: Report, path: Path) -> None:
    """Keep the run as JSON."""
    write_json(report.as_json(), path)


def write_json(kept: Any, path: Path) -> None:
    """Keep plain values as a file that a person can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=1), "utf-8")


def read(path: Path) -> Report:
    """A run that was kept. Raises PermanentError `bad_setting` for a file that is none."""
    try:
        given: dict[str, Any] = json.loads(path.read_text("utf-8"))
        rows = [Row(**row) for row in given["rows"]]
        return Report(given["set_name"], given["at"], given["documents"], given["recipe"], given["degraded"], rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PermanentError("bad_setting", setting=f"report {path}", why=f"it cannot be read ({error}).") from None


def compared(ours: Report, other: Report) -> list[str]:
    """Two runs of one set, question by question: a difference counts only when its interval excludes 0.

    Raises PermanentError `bad_setting` for runs that have no question in common.
    """
    shared = {row.qid for row in ours.rows} & {row.qid for row in other.rows}
    if not shared:
        why = "the two have no question in common: compare two reports of one set."
        raise PermanentError("bad_setting", setting=f"reports {ours.set_name} and {other.set_name}", why=why)
    told = [f"{ours.set_name}: {ours.at} minus {other.at}, {len(shared)} questions of both (in recall@{DEEPEST}; * counts)"]
    for kind in [*dict.fromkeys(row.kind for row in ours.rows if row.kind != "unanswerable"), "all"]:
        mine, theirs = ([row for row in one.rows if kind in (row.kind, "all") and row.kind != "unanswerable"] for one in (ours, other))
        for arm in ARMS:
            told.append(f"{kind:13}{arm:9}{_told(score.difference(hits(mine, arm), hits(theirs, arm)))}")
    return told


def _told(found: score.Interval) -> str:
    return f"{found.mean:>+8.3f}  [{found.low:+.3f}, {found.high:+.3f}]{' *' if found.excludes_zero else ''}"


def missed(report: Report, thresholds: Mapping[str, float], names: Collection[str] | None = None) -> list[str]:
    """The thresholds (of `names`, else all) that a run did not reach, in words; one is named `<kind>.<measure>`, of the merged arm."""
    found = report.as_json()["table"]["merged"]
    told = []
    for name, least in thresholds.items():
        if names is not None and name not in names:
            continue
        kind, _, measure = name.partition(".")
        value = found.get(kind, {}).get(measure)
        if value is None or value < least:
            told.append(f"{name} is {'not there' if value is None else f'{value:.3f}'}, at least {least:.3f} was set before the run")
    return told
