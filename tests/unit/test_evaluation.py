"""The evaluation's pure parts: sets that keep their rules, scores, intervals, thresholds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sourcebook.evaluation import command, floor, report, score, sets
from sourcebook.evaluation.run import Report, Row, as_asked, clear_ones, table
from sourcebook_core.errors import PermanentError


def write(folder: Path, questions: Sequence[Mapping[str, object]], corpus: Sequence[Mapping[str, object]] | None = None) -> str:
    """A set in a folder; its one document tells of a mill unless others are given."""
    documents = corpus or [{"doc_id": "d", "title": "Mill", "text": "The mill by the river was closed in 1891, and sold a year later."}]
    for name, rows in (("corpus.jsonl", documents), ("questions.jsonl", questions)):
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return str(folder)


def row(qid: str, rank: int | None, kind: str = "plain", handed_over: int = 5) -> Row:
    """A question whose document stands at this place in every arm."""
    return Row(qid, kind, "en", dict.fromkeys(("words", "meaning", "merged"), rank), handed_over, 0.5, 0.4, 0.1)


def test_a_set_is_read_with_its_kinds_and_unknown_keys_are_ignored(tmp_path: Path) -> None:
    found = sets.load(
        write(
            tmp_path,
            [
                {"qid": "1", "question": "When?", "relevant_doc_ids": ["d"], "answer_spans": ["1891"], "x": 1},
                {"qid": "2", "question": "Who?"},
            ],
        )
    )
    assert [(one.kind, one.relevant) for one in found.questions] == [("plain", {"d"}), ("unanswerable", frozenset())]
    assert not found.is_sealed and found.name == tmp_path.name


@pytest.mark.parametrize(
    "questions",
    [
        [{"qid": "1", "question": "When?", "kind": "odd", "relevant_doc_ids": ["d"]}],
        [{"qid": "1", "question": "When?", "kind": "plain"}],
        [{"qid": "1", "question": "When?", "relevant_doc_ids": ["other"]}],
        [{"qid": "1"}],
    ],
)
def test_a_set_that_cannot_be_measured_is_refused_by_name(tmp_path: Path, questions: list[dict[str, object]]) -> None:
    with pytest.raises(PermanentError) as refused:
        sets.load(write(tmp_path, questions))
    assert refused.value.code == "bad_setting"


def test_a_question_that_stands_in_the_corpus_is_pointed_out(tmp_path: Path) -> None:
    quoted = {"qid": "1", "question": "the MILL by the river was closed?", "relevant_doc_ids": ["d"]}
    asked = {"qid": "2", "question": "When did the mill close?", "relevant_doc_ids": ["d"]}
    assert sets.quoted_questions(sets.load(write(tmp_path, [quoted, asked]))) == ["1"]


@pytest.mark.parametrize("name", sorted(folder.name for folder in sets.OWN_SETS.iterdir() if folder.is_dir()))
def test_no_question_of_our_own_sets_stands_word_for_word_in_its_corpus(name: str) -> None:
    """S2-46: a text that quotes the test questions flatters the measurement."""
    found = sets.load(name)
    assert sets.quoted_questions(found) == []
    assert len(found.questions) >= 60 and {question.kind for question in found.questions} == set(sets.KINDS)
    assert found.thresholds and found.diagnostic <= set(found.thresholds)


def test_a_sealed_set_opens_only_with_its_flag_and_a_rule(tmp_path: Path) -> None:
    name = write(tmp_path, [{"qid": "1", "question": "When?", "relevant_doc_ids": ["d"]}])
    (tmp_path / "set.toml").write_text("sealed = true\n")
    runner = CliRunner()
    for options in ([], ["--open-sealed"], ["--rule", "plain at least 0.9"], ["--open-sealed", "--rule", " "]):
        ended = runner.invoke(command.app, ["run", name, *options])
        assert ended.exit_code == 1 and "sealed" in ended.stderr
    assert runner.invoke(command.app, ["floor", name]).exit_code == 1
    opened = runner.invoke(command.app, ["run", name, "--open-sealed", "--rule", "plain at least 0.9", "--data", str(tmp_path / "none")])
    assert opened.exit_code == 3 and "No Sourcebook answers" in opened.stderr  # the seal is open; there is only no server


def test_a_set_or_a_notebook_is_named_and_not_both() -> None:
    for options in ([], ["lakeside", "--notebook", "Lakes"]):
        assert CliRunner().invoke(command.app, ["run", *options]).exit_code == 1


def test_a_known_gap_is_told_and_fails_nothing(tmp_path: Path) -> None:
    name = write(tmp_path, [{"qid": "1", "question": "When?", "relevant_doc_ids": ["d"]}])
    (tmp_path / "set.toml").write_text('diagnostic = ["plain.recall@1"]\n[thresholds]\n"plain.recall@1" = 0.9\n"plain.recall@5" = 0.9\n')
    found = sets.load(name)
    made = Report("s", "2026-11-30T00:00:00+00:00", 1, {}, [], [row("1", 4)])
    assert report.missed(made, found.thresholds, found.gating) == []
    assert "plain.recall@1" in report.missed(made, found.thresholds, found.diagnostic)[0]


def test_sure_answers_are_counted_by_where_what_answers_them_stands() -> None:
    rows = [row("1", 1), row("2", 3), row("3", None), row("4", None, "unanswerable"), row("5", 1)]
    sure = [replace(one, reply_kind="several" if one.qid == "5" else "clear") for one in rows]
    assert clear_ones(sure) == {"clear": 4, "first": 1, "five": 1, "wrong": 1, "none": 1}


def test_the_quotes_of_a_question_are_no_operators_of_a_search() -> None:
    assert as_asked('Why were they called "the Methodists?"') == "Why were they called the Methodists?"
    assert as_asked("\u00ab\u00bb") == "\u00ab\u00bb"


def test_a_document_counts_at_its_best_chunk() -> None:
    assert score.first_hit(["a", "a", "a", "b"], frozenset({"b"})) == 2
    assert score.first_hit(["a"], frozenset({"b"})) is None


def test_recall_and_reciprocal_rank_are_those_of_the_first_hits() -> None:
    found = score.of_ranks([1, 2, 4, None])
    assert found["recall@1"] == 0.25 and found["recall@3"] == 0.5 and found["recall@5"] == 0.75
    assert found["mrr"] == pytest.approx((1 + 0.5 + 0.25) / 4)


@settings(max_examples=20, deadline=None)  # ten thousand resamplings each
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=60))
def test_an_interval_holds_its_mean_and_is_the_same_for_the_same_seed(values: list[float]) -> None:
    found = score.interval(values)
    assert found.low <= found.mean <= found.high and found == score.interval(values)


def test_a_difference_counts_only_when_its_interval_excludes_zero() -> None:
    ones, zeros = ({str(at): value for at in range(40)} for value in (1.0, 0.0))
    assert score.difference(ones, zeros).excludes_zero
    assert not score.difference(ones, ones | {"0": 0.0}).excludes_zero


def test_refusals_are_counted_among_the_unanswerable_alone() -> None:
    rows = [row("1", 1), row("2", None, "unanswerable", 0), row("3", None, "unanswerable", 2)]
    found = table(rows)["merged"]
    assert found["unanswerable"]["refused"] == 0.5 and found["plain"]["recall@1"] == 1.0 and "refused" not in found["plain"]


def test_each_question_is_told_with_what_became_of_it() -> None:
    rows = [row("1", 1), row("2", 7), row("3", None), row("4", None, "unanswerable", 0), row("5", None, "unanswerable", 2)]
    told = report.each(Report("s", "", 1, {}, [], [replace(one, question=f"Question {one.qid}?") for one in rows]))
    assert [line.split()[0] for line in told] == ["ok", "MISSED", "MISSED", "ok", "MISSED"]
    assert "Question 2?  (found, place 7)" in told[1] and "(not found)" in told[2] and "(2 passages found" in told[4]


def test_the_questions_of_all_kinds_are_those_that_have_an_answer() -> None:
    found = table([row("1", 1), row("2", 7), row("3", None, "unanswerable", 0)])["merged"]
    assert (found["all"]["questions"], found["unanswerable"]["questions"]) == (2, 1)


def test_a_threshold_that_is_missed_is_named_with_its_value(tmp_path: Path) -> None:
    made = Report("s", "2026-11-30T00:00:00+00:00", 1, {}, [], [row("1", 1), row("2", 7)])
    assert report.missed(made, {"all.recall@5": 0.5}) == []
    assert "0.500" in report.missed(made, {"all.recall@5": 0.9})[0]
    assert report.missed(made, {"vague.recall@5": 0.1})
    report.write(made, tmp_path / "r.json")
    assert report.read(tmp_path / "r.json") == made
    assert any("recall@5" in line for line in report.lines(made))


def test_runs_of_different_sets_are_not_compared() -> None:
    made = Report("lakes", "now", 1, {}, [], [row("1", 1), row("2", 7)])
    assert "lakes: now minus now, 2 questions of both" in report.compared(made, made)[0]
    with pytest.raises(PermanentError, match="no question in common"):
        report.compared(made, replace(made, set_name="mills", rows=[row("9", 1)]))


def test_the_floor_lies_above_all_noise_but_a_twentieth() -> None:
    measured = floor.Measured(noise=[*([0.1] * 19), 0.3, 0.5], real=[0.2, 0.4, 0.5, 0.6])
    assert (measured.proposal, measured.passed, measured.kept, measured.weak) == (0.3, 2, 0.75, 0.35)
    assert "SOURCEBOOK_FLOOR=0.30" in floor.lines(measured)[-1]
