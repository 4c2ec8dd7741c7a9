"""Citation marks are resolved while an answer streams, whatever way it is cut into pieces."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_rag.answer.cite import MAX_ANSWER_CHARS, MAX_MARKS, CitationFilter, strip_marks
from sourcebook_rag.answer.group import cited_numbers

OWN = ("from what you gave me:", "aus dem, was ich von dir habe:")


def run(text: str, pieces: list[str] | None = None, **how: Any) -> CitationFilter:
    marks = CitationFilter(8, **how)
    released = [marks.feed(piece) for piece in (pieces if pieces is not None else [text])]
    released.append(marks.finish())
    assert "".join(released) == marks.answer
    assert all(marks.answer[mark.start : mark.end] == ("" if marks.is_hiding else f"[{mark.n}]") for mark in marks.marks)
    return marks


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("1", [1]),
        (" 1 ", [1]),
        ("1, 2", [1, 2]),
        ("1,2;3", [1, 2, 3]),
        ("1-3", [1, 2, 3]),
        ("2–4, 1", [2, 3, 4, 1]),
        ("Source 1", [1]),
        ("Sources 1 and 2", [1, 2]),
        ("doc1", [1]),
        ("Quelle 2", [2]),
        ("zdroj 3", [3]),
        ("fuente 1 y 2", [1, 2]),
        ("source: 2", [2]),
        ("^1", [1]),
        ("#4", [4]),
        ("1†source", [1]),
        ("Quelle 1, Quelle 3", [1, 3]),
        ("zdroj č. 3", [3]),
        ("zdroje 1 a 2", [1, 2]),
        ("source n° 1", [1]),
        ("Quelle Nr. 2", [2]),
        ("úryvek 4", [4]),
        ("fuente n.º 2", [2]),
        ("références 1–3", [1, 2, 3]),
        ("doc_2", [2]),
        ("passage-2", [2]),
        ("１，２", [1, 2]),
        ("3−5", [3, 4, 5]),
        ("100-999", None),
        ("Nr. 2", None),
        ("note 3", None),
        ("page 4", None),
        ("1, 1", [1]),
        ("0", None),
        ("0, 2", None),
        ("4-2", None),
        ("11.5, 14.2", None),
        ("2024", None),
        ("2024 report", None),
        ("1,234", None),
        ("Q1-Q3", None),
        ("lower 6, upper 11", None),
        ("x", None),
        ("", None),
        (" ", None),
        ("-1", None),
        ("1\n2", None),
    ],
)
def test_what_counts_as_a_citation(inside: str, expected: list[int] | None) -> None:
    assert cited_numbers(inside) == expected


@pytest.mark.parametrize(
    ("reply", "answer", "order"),
    [
        ("A [3][1, 3].", "A [1][2][1].", [3, 1]),
        ("A [2-4].", "A [1][2][3].", [2, 3, 4]),
        ("A [9].", "A.", []),
        ("A [5,7] with four [12] sources.", "A [1][2] with four sources.", [5, 7]),
        ("A [7-12].", "A [1][2].", [7, 8]),
        ("A [0] stays.", "A [0] stays.", []),
        ("A 【1】 and 【2†source】.", "A [1] and [2].", [1, 2]),
        ("A ［3］ and 【Quelle 1】.", "A [1] and [2].", [3, 1]),
        ("A [Quelle 3](https://evil.example/) and [zdroj 1].", "A [1] and [2].", [3, 1]),
        ("A [1](https://evil.example/a?b=(c)) end", "A [1] end", [1]),
        ("A [9](https://evil.example/) end", "A end", []),
        ("A [1](never closed\nnext", "A [1](never closed\nnext", [1]),
        ("A [1] (in brackets)", "A [1] (in brackets)", [1]),
        ("see [1]. x[0]=[2024 report", "see [1]. x[0]=[2024 report", [1]),
        ("code `a[1] = b[2]` and [2]", "code `a[1] = b[2]` and [1]", [2]),
        ("``a ` [1]`` [2]", "``a ` [1]`` [1]", [2]),
        ("open ` [2] no close", "open ` [1] no close", [2]),
        ("open ` [2]\nnext ` line", "open ` [1]\nnext ` line", [2]),
        ("```py\nx[1]\n  ```\n[2]", "```py\nx[1]\n  ```\n[1]", [2]),
        ("~~~\n[1]\n```\n[1]\n~~~~\nend [3]", "~~~\n[1]\n```\n[1]\n~~~~\nend [1]", [3]),
        ("```a[1]``` is [2] inline", "```a[1]``` is [1] inline", [2]),
        ("```\n[1] never closed", "```\n[1] never closed", []),
        ("[[1]] [see [2]]", "[[1]] [see [2]]", [1, 2]),
        ("- [ ] task [1]\n- [x] done", "- [ ] task [1]\n- [x] done", [1]),
        ("a  \t[9] b", "a b", []),
        ("a ([9]). b ([1]). c (see [9])", "a. b ([1]). c (see)", [1]),
        ("a [9], [2]; b [9], b", "a, [1]; b, b", [2]),
        ("  \n Hello  \n\n ", "Hello", []),
        ("NUL \x00 and half \ud83d here", "NUL \ufffd and half \ufffd here", []),
    ],
)
def test_marks_are_resolved_renumbered_or_dropped(reply: str, answer: str, order: list[int]) -> None:
    found = run(reply)
    assert found.answer == answer
    assert found.order == order


def test_dropped_numbers_are_kept_for_the_check() -> None:
    assert run("a [9] b [12, 1]").invalid_numbers == [9, 12]


def test_an_invalid_number_may_stay_flagged_and_numbers_may_stay_as_given() -> None:
    found = CitationFilter(3, invalid="flag", renumber=False)
    assert found.feed("a [3] b [4].") + found.finish() == "a [3] b [4]."
    assert found.invalid_numbers == [4]
    assert [(mark.n, mark.passage) for mark in found.marks] == [(3, 3)]


def test_numbers_that_stay_as_given_name_their_passage() -> None:
    found = run("a [3] b [1].", renumber=False)
    assert [found.number_of(passage) for passage in found.order] == [3, 1]
    assert [run("a [3] b [1].").number_of(passage) for passage in found.order] == [1, 2]


def test_hidden_sources_leave_no_bracket_in_the_stream() -> None:
    found = run("", pieces=["a ", "[", "1", "]", " b [2", ", 3]."], hide=True)
    assert found.answer == "a b."
    assert found.order == [1, 2, 3]
    assert [(mark.start, mark.passage) for mark in found.marks] == [(1, 1), (3, 2), (3, 3)]  # where they would stand


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Deep ([1]). Wide ([1, 2]).", "Deep. Wide."),
        ("Deep [1], [2]; [3]. Wide.", "Deep. Wide."),
        ("Deep [1], and wide (see [2], page 4) (x)", "Deep, and wide (see, page 4) (x)"),
        ("Deep ([1](http://x/)) f(x) (", "Deep f(x) ("),
        ("Deep ([1", "Deep ([1"),
    ],
)
def test_nothing_is_left_around_hidden_marks(reply: str, answer: str) -> None:
    assert run(reply, hide=True).answer == answer
    assert run("", pieces=list(reply), hide=True).answer == answer


@pytest.mark.parametrize(
    ("reply", "answer", "used"),
    [
        ("Mercury melts at -39.\n\n📄 From what you gave me: Notes", "Mercury melts at -39.", None),
        ("Warm.\n*From what you gave me: Notes*\nUSED: 1", "Warm.", [1]),
        ("Warm.\n> 📄 Sources: Notes\n\nMore.", "Warm.\n\nMore.", None),
        ("📄 Aus dem, was ich von dir habe: A\nWarm.", "Warm.", None),
        ("- Aus dem Haus\n- From what\nFrom", "- Aus dem Haus\n- From what\nFrom", None),
        ("It is from what you gave me: two words.", "It is from what you gave me: two words.", None),
        ("```\n📄 a file\n```", "```\n📄 a file\n```", None),
    ],
)
def test_a_line_that_only_the_program_may_write_is_taken_out(reply: str, answer: str, used: list[int] | None) -> None:
    for pieces in ([reply], list(reply)):
        found = run("", pieces=pieces, hide=True, own_line=OWN)
        assert (found.answer, found.used) == (answer, used)


def test_of_a_line_of_its_own_nothing_is_released() -> None:
    marks = CitationFilter(8, own_line=OWN)
    assert [marks.feed(piece) for piece in ("Hi.", "\n", "\U0001f4c4 From", " what", "\n")] == ["Hi.", "", "", "", ""]


@pytest.mark.parametrize(
    ("reply", "answer", "not_covered", "used"),
    [
        ("NOT_COVERED\nNothing here.", "Nothing here.", True, None),
        ("**NOT_COVERED**: Nothing.", "Nothing.", True, None),
        ("NOT_COVERED", "", True, None),
        ("NOT_COV", "NOT_COV", False, None),
        ("Not covered by law.", "Not covered by law.", False, None),
        ("It says NOT_COVERED here", "It says NOT_COVERED here", False, None),
        ("Answer.\nUSED: 1, 3", "Answer.", False, [1, 3]),
        ("Answer.\n\nUSED: [1], [3], [99]\n", "Answer.", False, [1, 3]),
        ("Answer.\n**USED:** none\n", "Answer.", False, []),
        ("Answer.\nUSED: 1, 3\nMore.", "Answer.\nUSED: 1, 3\nMore.", False, None),
        ("Answer.\nUSED: 3 tons of it", "Answer.\nUSED: 3 tons of it", False, None),
        ("Answer. USED: 1", "Answer. USED: 1", False, None),
        ("NOT_COVERED.`NOT_COVERED", "`NOT_COVERED", True, None),
        ("USED: 2", "", False, [2]),
        ("Answer.\nUsed: 2.", "Answer.", False, [2]),
        ("NOT_COVERED\nUSED: 1", "", True, [1]),
    ],
)
def test_machine_marks_are_taken_out(reply: str, answer: str, not_covered: bool, used: list[int] | None) -> None:
    found = run(reply)
    assert (found.answer, found.is_not_covered, found.used) == (answer, not_covered, used)
    one_by_one = run("", pieces=list(reply))
    assert (one_by_one.answer, one_by_one.is_not_covered, one_by_one.used) == (answer, not_covered, used)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>hm [1]</think>\n\nHi [1]", "Hi [1]"),
        ("<Thinking>hm</thinking>Hi", "Hi"),
        ("a < b and <b> and x <thin", "a < b and <b> and x <thin"),
        ("Hi <think>again</think>there", "Hi there"),
        ("write `<think>` for it", "write `<think>` for it"),
    ],
)
def test_reasoning_is_taken_out_and_what_only_looks_like_it_stays(reply: str, answer: str) -> None:
    assert run(reply).answer == answer
    assert run("", pieces=list(reply)).answer == answer


def test_a_reply_that_ends_inside_its_reasoning_is_unfinished() -> None:
    assert run("<think>thinking and never").is_unfinished
    assert not run("<think>x</think>y").is_unfinished


def test_reasoning_without_an_opening_tag_is_held_back_where_it_is_expected() -> None:
    assert run("", pieces=["though", "ts…</thi", "nk>answer"], expect_reasoning=True).answer == "answer"
    assert run("plain answer", expect_reasoning=True).answer == "plain answer"
    assert run("<think>x", expect_reasoning=True).is_unfinished
    leaked = run("thoughts…</think>answer")
    assert leaked.has_leaked_reasoning
    assert "think" not in leaked.answer


def test_a_piece_is_held_back_only_while_it_can_still_be_a_mark() -> None:
    marks = CitationFilter(8)
    assert marks.feed("Text ") == "Text"
    assert marks.feed("more") == " more"
    assert marks.feed(" [1") == ""
    assert marks.feed("]") == ""
    assert marks.feed(",") == " [1],"
    assert marks.feed("[2024 re") == "[2024 re"
    assert marks.feed("port [a longer one than a mark") == "port [a longer one than a mark"
    assert marks.feed(" [" + "1," * 13) != ""
    assert marks.feed("<") == ""
    assert marks.feed("b") == "<b"


WORDS = "[¦]¦1¦2¦9¦0¦,¦-¦【¦】¦(¦)¦`¦``¦```¦~~~¦word¦.¦Source ¦USED: ¦USED¦NOT_COVERED¦NOT_¦<¦<think>¦</think>¦<th¦ink>¦http://x"
OWN_LINES = "From what¦ you gave me:¦\U0001f4c4¦- ¦> ¦［¦］¦Quelle ¦č. ¦１"
SIGNS = "\n¦ ¦  ¦, ¦[1]¦[2, 3]¦[9]¦none¦\u2020¦*¦**¦é¦\ud83d¦\ude00¦\x00"
PIECES = st.lists(st.sampled_from(f"{WORDS}¦{OWN_LINES}¦{SIGNS}".split("¦")), max_size=40)


@settings(max_examples=600, deadline=None)
@given(PIECES, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_cutting_a_reply_in_any_way_gives_the_same_answer(pieces: list[str], hide: bool, own: bool, flag: bool, renumber: bool) -> None:
    text = "".join(pieces)
    how: dict[str, Any] = {"hide": hide, "own_line": OWN if own else (), "invalid": "flag" if flag else "strip", "renumber": renumber}
    whole, cut, single = run(text, **how), run(text, pieces=pieces, **how), run(text, pieces=list(text), **how)
    if renumber and not hide:
        assert sorted({mark.n for mark in whole.marks}) == list(range(1, len(whole.order) + 1))
    if not flag:
        assert all(1 <= mark.passage <= 8 for mark in whole.marks)
    for other in (cut, single):
        assert other.answer == whole.answer
        assert (other.order, other.invalid_numbers, other.marks) == (whole.order, whole.invalid_numbers, whole.marks)
        assert (other.is_not_covered, other.used, other.is_unfinished) == (whole.is_not_covered, whole.used, whole.is_unfinished)


def test_every_split_of_the_known_hard_reply_gives_the_same_answer() -> None:
    text = "see [1]. x[0]=[2024 report"
    for first in range(len(text)):
        for second in range(first, len(text)):
            pieces = [text[:first], text[first:second], text[second:]]
            assert run("", pieces=pieces).answer == "see [1]. x[0]=[2024 report"


def test_marks_of_earlier_answers_are_stripped_and_other_brackets_stay() -> None:
    assert strip_marks("It was 12 [2]. Values [11.5, 14.2] and `a[1]`, see [1][3].") == "It was 12. Values [11.5, 14.2] and `a[1]`, see."


def test_a_filter_says_whether_any_reasoning_came() -> None:
    assert not run("plain answer", expect_reasoning=True).has_met_reasoning
    assert run("thoughts</think>answer", expect_reasoning=True).has_met_reasoning
    assert run("<think>x</think>answer").has_met_reasoning


@pytest.mark.parametrize(("reply", "chars", "marks"), [("word " * 20_000, MAX_ANSWER_CHARS, 0), ("a [1] " * 2000, 6000 - 1, MAX_MARKS)])
def test_a_reply_that_never_ends_is_full(reply: str, chars: int, marks: int) -> None:
    found = CitationFilter(1)
    for at in range(0, len(reply), 100):
        found.feed(reply[at : at + 100])
    found.finish()
    assert found.is_full and (len(found.answer), len(found.marks)) == (chars, marks)
    assert found.feed("more") == ""
