"""`sourcebook eval` without a server: two reports beside each other, and the seal of a set that is broken only on the record."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sourcebook.evaluation import command, report
from sourcebook.evaluation.run import Report, Row
from sourcebook.evaluation.sets import EvalSet, Question


def kept(folder: Path, name: str, ranks: dict[str, int | None]) -> str:
    """A report in which each question's document stands at this place by merging, and nowhere else."""
    rows = [Row(qid, "plain", "en", {"words": None, "meaning": None, "merged": rank}, 5, 0.5, 0.4, 0.1) for qid, rank in ranks.items()]
    report.write(Report("s", f"2026-11-30T00:00:0{len(name)}+00:00", 1, {}, [], rows), folder / f"{name}.json")
    return str(folder / f"{name}.json")


def test_two_runs_are_compared_question_by_question_and_only_what_is_no_chance_is_starred(tmp_path: Path) -> None:
    one = kept(tmp_path, "a", {str(at): 1 for at in range(30)} | {"only here": None})
    other = kept(tmp_path, "bb", {str(at): 1 if at < 10 else None for at in range(30)})
    told = CliRunner().invoke(command.app, ["compare", one, other])
    assert told.exit_code == 0 and "30 questions of both" in told.stdout
    merged = next(line for line in told.stdout.splitlines() if line.startswith("plain") and "merged" in line)
    assert "+0.667" in merged and merged.endswith("*")
    assert not next(line for line in told.stdout.splitlines() if line.startswith("plain") and "words" in line).endswith("*")
    (tmp_path / "none.json").write_text("{}")
    assert CliRunner().invoke(command.app, ["compare", one, str(tmp_path / "none.json")]).exit_code == 1


def test_the_rule_of_a_sealed_set_is_written_down_before_anything_is_measured(tmp_path: Path) -> None:
    # S0-94: a run that breaks off or is stopped has opened the set too.
    documents = [{"doc_id": "d", "title": "Mill", "text": "The mill by the river was closed in 1891."}]
    for name, rows in (("corpus.jsonl", documents), ("questions.jsonl", [{"qid": "1", "question": "When?", "relevant_doc_ids": ["d"]}])):
        (tmp_path / name).write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    (tmp_path / "set.toml").write_text("sealed = true\n")
    out = tmp_path / "reports" / "sealed.json"
    options = ["--open-sealed", "--rule", "plain at least 0.9", "--out", str(out), "--data", str(tmp_path / "none")]
    for command_name in ("run", "answers"):
        ended = CliRunner().invoke(command.app, [command_name, str(tmp_path), *options])
        assert ended.exit_code == 3 and "No Sourcebook answers" in ended.stderr and not out.exists()
    openings = (tmp_path / "reports" / "openings.txt").read_text("utf-8").splitlines()
    assert len(openings) == 2 and all(line.endswith(f"{tmp_path.name}\tplain at least 0.9") for line in openings)


def test_a_run_over_some_of_the_questions_judges_no_threshold_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    questions = [Question(str(at), "When?", "en", "plain", frozenset({"d"})) for at in range(4)]
    rows = [Row(str(at), "plain", "en", dict.fromkeys(("words", "meaning", "merged")), 5, 0.5, 0.4, 0.1) for at in range(4)]
    of = EvalSet("s", [], questions, thresholds={"plain.mrr": 0.9})
    some, whole = (Report("s", "2026-11-30T00:00:00+00:00", 1, {}, [], part) for part in (rows[:2], rows))
    assert command.judged(some, of, limit=2) == []
    assert capsys.readouterr().err == "The thresholds are set for all 4 questions; with --limit 2 were asked, so none is judged.\n"
    assert "plain.mrr" in command.judged(whole, of, limit=None)[0] and "plain.mrr" in command.judged(whole, of, limit=50)[0]


def test_evidence_that_a_question_forbids_fails_the_run_where_a_threshold_says_so(tmp_path: Path) -> None:
    # S4-40: what must not be found is told by kind, and may be gating or a known gap as any other figure.
    rows = [
        Row(str(at), "plain", "en", dict.fromkeys(("words", "meaning", "merged"), 1), 5, 0.5, 0.4, 0.1, has_forbidden=found)
        for at, found in enumerate((None, False, True, False))
    ]
    made = Report("s", "2026-11-30T00:00:00+00:00", 1, {}, [], rows)
    report.write(made, tmp_path / "r.json")
    assert report.read(tmp_path / "r.json") == made
    assert "0.667" in report.missed(made, {"plain.kept_out": 1.0})[0] and report.missed(made, {"all.kept_out": 0.6}) == []
    assert any("kept out" in line and "0.667" in line for line in report.lines(made))
