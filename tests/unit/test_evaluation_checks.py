"""How the error of the checks is counted and told; and that the tuning half stays as good as it was when the figure was measured."""

import asyncio
import json
from pathlib import Path

from typer.testing import CliRunner

from sourcebook.evaluation import checks, command
from sourcebook.evaluation.checks import Judged, Share
from sourcebook_core import published
from sourcebook_core.settings import RoleSettings
from sourcebook_rag import pair_checks

TUNING = Path("evals/checks/tuning.jsonl")


def judged(*rows: tuple[bool, str]) -> list[Judged]:
    return [Judged(str(at), "paraphrase", "en>en", right, status == "found", status) for at, (right, status) in enumerate(rows)]


def test_an_interval_of_no_error_is_not_nothing() -> None:
    low, high = checks.wilson(0, 117)
    assert low == 0 and 0.03 < high < 0.04
    assert checks.wilson(0, 0) == (0.0, 1.0)
    low, high = checks.wilson(3, 117)
    assert low < 3 / 117 < high and str(Share(0, 0)).strip() == "–"


def test_what_is_published_tells_both_errors_apart(tmp_path: Path) -> None:
    rows = judged((True, "found"), (True, "partly"), (False, "found"), (False, "partly"), (False, "not_found"), (True, "found"))
    made = checks.figure(rows)
    assert (made.pairs, made.found, made.found_wrong, made.wrong_pairs) == (6, 3, 1, 3)
    assert (made.wrong_of_100, made.false_found_of_100, made.right_found_of_100) == (33.3, 33.3, 66.7)
    checks.publish(made, tmp_path / "figure.json")
    assert published.ChecksFigure.model_validate_json((tmp_path / "figure.json").read_text()).found_wrong == 1
    told = "\n".join(checks.lines(rows))
    assert "1/3" in told and "of 3 found marks 1 stand at a wrong statement" in told


def test_the_published_figure_keeps_its_rule() -> None:
    figure = published.checks()
    assert figure.found_wrong < 0.05 * figure.wrong_pairs and figure.wrong_pairs >= 100


def test_the_sealed_half_is_not_opened_without_a_rule() -> None:
    ended = CliRunner().invoke(command.app, ["checks", "--open-sealed"])
    assert ended.exit_code == 1 and "--rule" in ended.stderr


def test_pairs_of_one_language_keep_their_verdicts() -> None:
    # The tuning half alone: the sealed one is only ever scored by `sourcebook eval checks --open-sealed`.
    rows = [json.loads(line) for line in TUNING.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["language"] == row["passage_language"]]
    pairs = pair_checks.parse(json.dumps(row) for row in rows)
    found = asyncio.run(pair_checks.statuses(RoleSettings(name="embedding"), pairs))
    wrong = [row["id"] for row, status in zip(rows, found, strict=True) if status == "found" and "found" not in row["accept"]]
    assert wrong == []
    assert {status for row, status in zip(rows, found, strict=True) if row["kind"] == "near_verbatim"} == {"found"}
