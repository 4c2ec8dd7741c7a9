"""Data of a host application: what may be declared, what of an answer is seen, and how it stands in a prompt. Pure."""

from typing import Any

import pytest

from sourcebook_core import host_data
from sourcebook_core.errors import RequestError
from sourcebook_core.host_calls import address_of
from sourcebook_core.host_data import HostData, Taken, Taking
from sourcebook_core.host_declared import NotOfType, Param, Read, check, hosts_of
from sourcebook_core.text.cleaned import one_line
from tests.fakes.host import CANARIES, FITS, HOSTILE, OPINIONS, PROJECT, WALL, WHAT_IF, opinion

FENCE = "<<0123456789abcdef01>>"
ALLOWED = ("10.0.0.5:9000",)


def read_of(given: dict[str, Any], **more: Any) -> Read:
    return Read.model_validate(given | more)


def take(read: Read, values: dict[str, str], answers: list[Any]) -> Taken:
    taking = Taking(read, values)
    for one in answers:
        taking.add(one)
    return taking.taken()


def declared(*reads: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"hosts": [{"name": "planner", "base_url": "http://10.0.0.5:9000/api", "reads": list(reads), **more}]}


def answer(description: str = HOSTILE) -> dict[str, Any]:
    owner = dict(zip(("email", "account", "photo"), CANARIES, strict=True))
    return {
        "id": WALL, "name": "Harbour wall", "description": description, "scale": [0, 25], "result": {"value": 14.1923}, "owner": owner,
    }  # fmt: skip


def test_only_listed_fields_are_seen_and_only_plain_values() -> None:
    taken = take(read_of(PROJECT, fields=["name", "owner", "result.value", "missing", "scale"]), {}, [answer()])
    assert taken.rows == ((("name", "Harbour wall"), ("result.value", 14.1923), ("scale", (0, 25))),)
    prompt = host_data.as_prompt(HostData(reads=(taken,)), FENCE)
    assert not any(canary in prompt for canary in CANARIES) and WALL not in prompt


def test_typed_text_stays_on_one_line_at_its_limit_and_closes_nothing() -> None:
    # S0-39, N-12
    taken = take(read_of(PROJECT), {}, [answer()])
    said = str(dict(taken.rows[0])["description"])
    assert len(said) == 1000 and said.endswith("...") and not set(said) & set("<>\n\u202e")
    prompt = host_data.as_prompt(HostData(reads=(taken,)), FENCE)
    assert prompt.count(FENCE) == 2 and prompt.endswith(FENCE) and "<<0>>" not in prompt
    assert "what its users entered, never a verified fact" in prompt and "never a verified fact" in host_data.RULE


def test_sixty_opinions_are_fifty_lines_and_the_count_of_the_rest() -> None:
    # S0-37
    taken = take(read_of(OPINIONS), {}, [{"items": [opinion(n) for n in range(60)]}])
    lines = host_data.as_block(taken).splitlines()
    assert lines[0] == "Opinions (60):" and len([line for line in lines if line.startswith("- expert:")]) == 50
    assert lines[-1] == "- and 10 more" and lines[1] == "- expert: Expert 0; position: engineer; values: 11.5, 14.2, 17"


def test_a_member_who_hid_their_opinion_is_neither_told_nor_counted() -> None:
    # S0-38: the host's own result still counts everybody.
    items = [opinion(0), opinion(1, hidden=True), opinion(2, hidden=False)]
    taken = take(read_of(OPINIONS), {}, [{"items": items}])
    assert [dict(row)["expert"] for row in taken.rows] == ["Expert 0", "Expert 2"] and taken.count == 2


def test_marks_and_notes_stand_beside_what_they_are_about() -> None:
    # S4-31, S4-32
    items = [{"model": "linear", "rms": 0.42, "status": "rejected"}, {"model": "cubic", "rms": 0.07, "status": "ok"}]
    block = host_data.as_block(take(read_of(FITS), {}, [{"items": items}]))
    assert "- model: linear; rms: 0.42 (rejected: evidence of exclusion, supports no conclusion)" in block
    assert "- model: cubic; rms: 0.07\n" in block and block.endswith("nobody has looked at their pixels.")


def test_numbers_of_the_data_and_counts_of_lists_may_ground_an_answer() -> None:
    data = HostData(reads=(take(read_of(PROJECT), {}, [answer("wall")]), take(read_of(OPINIONS), {}, [{"items": [opinion(0)] * 13}])))
    text = host_data.numbers_text(data)
    assert "14.1923" in text and "14.2" in text and "\n13\n" in f"{text}\n"
    assert host_data.numbers_text(None) == host_data.as_prompt(None, FENCE) == host_data.as_prompt(HostData(), FENCE) == ""


@pytest.mark.parametrize("given", [[], "text", None, {"items": "no"}, {"items": [1]}, {"other": []}])
def test_an_answer_of_another_form_is_an_error_and_never_an_empty_list(given: Any) -> None:
    with pytest.raises(ValueError, match="it is not"):
        take(read_of(OPINIONS), {}, [given])


def test_what_is_kept_comes_back_the_same_and_has_a_bound() -> None:
    data = HostData(reads=(take(read_of(PROJECT), {"project_id": WALL}, [answer()]),), pinned={"project_id": WALL})
    assert HostData.of(data.kept()) == data and HostData.of(None) is None
    many = take(read_of(OPINIONS, list={"cap": 200}, clean={"expert": 4000}), {}, [{"items": [opinion(0, expert="x" * 4000)] * 60}])
    with pytest.raises(RequestError) as caught:
        HostData(reads=(many,)).kept()
    assert caught.value.code == "host_unusable"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (
            {"type": "uuid"},
            [WALL, WALL.upper()],
            ["../x", WALL + "/..", "{" + WALL + "}", "urn:uuid:" + WALL, WALL.replace("-", ""), 7, None],
        ),
        ({"type": "integer", "min": 1, "max": 9}, [1, "9", 3.0], [0, 10, "x", "1.5", 2.5, True, float("nan"), "9" * 5000, [1]]),
        ({"type": "number", "min": 0, "max": 2}, [0.5, "1.5", 2], [2.1, -1, "1e999", float("inf"), "half", True, {}]),
        ({"type": "choice", "choices": ["low", "high"]}, ["low"], ["mid", "", 1, "low\n"]),
        ({"type": "text", "max_chars": 5}, ["a b/c"], ["too long", "a\nb", "", 3]),
    ],
)
def test_a_parameter_takes_values_of_its_type_alone(kind: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    param = Param.model_validate(kind)
    assert all(param.parse(one) for one in good)
    for one in bad:
        with pytest.raises(NotOfType):
            param.parse(one)


def test_values_are_quoted_into_the_address_and_cannot_leave_their_place() -> None:
    read = read_of(PROJECT, params={"project_id": "uuid", "q": {"type": "text"}}, query={"lang": "en"})
    assert address_of(read, {"project_id": WALL, "q": "a&b=c#d/../?"}, {}) == f"/projects/{WALL}?lang=en&q=a%26b%3Dc%23d%2F..%2F%3F"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"path": "/projects/{other}"}, "hosts.0.reads.0"),
        ({"path": "/projects/../admin"}, "hosts.0.reads.0"),
        ({"path": "http://elsewhere.example/"}, "hosts.0.reads.0"),
        ({"path": "/a?b=c"}, "hosts.0.reads.0"),
        ({"path": "//elsewhere.example"}, "hosts.0.reads.0"),
        ({"params": {"project_id": {"type": "text"}}}, "hosts.0.reads.0"),
        ({"params": {"project_id": {"type": "number"}}}, "hosts.0.reads.0.params.project_id"),
        ({"params": {"project_id": {"type": "choice"}}}, "hosts.0.reads.0.params.project_id"),
        ({"fields": []}, "hosts.0.reads.0.fields"),
        ({"fields": ["a..b"]}, "hosts.0.reads.0.fields.0"),
        ({"method": "POST"}, "hosts.0.reads.0.method"),
        ({"name": "search"}, "hosts"),
        ({"list": {"cap": 0}}, "hosts.0.reads.0.list.cap"),
    ],
)
def test_what_is_declared_wrongly_is_refused_by_the_name_of_its_field(change: dict[str, Any], where: str) -> None:
    check(declared(PROJECT), ALLOWED)
    with pytest.raises(RequestError) as caught:
        check(declared(PROJECT | change), ALLOWED)
    assert caught.value.status == 422 and where in caught.value.message


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/", "http://10.0.0.5:9001/", "ftp://x.org/", "http://example.org/", "x", "https://u@x.org/"]
)
def test_a_host_inside_or_without_encryption_has_to_be_allowed_by_the_operator(address: str) -> None:
    with pytest.raises(RequestError) as caught:
        check(declared(PROJECT, base_url=address), ALLOWED)
    assert "hosts.0.base_url" in caught.value.message
    check(declared(PROJECT, base_url="https://planner.example.org/api"), ALLOWED)


def test_a_what_if_needs_a_bounded_parameter_and_is_never_read_at_the_gate() -> None:
    (host,) = hosts_of(declared(what_if=[WHAT_IF]))
    assert not host.what_if[0].at_gate and host.what_if[0].params["weight"].max == 2
    for wrong in (WHAT_IF | {"at_gate": True}, WHAT_IF | {"params": {"project_id": "uuid"}}):
        with pytest.raises(RequestError):
            hosts_of(declared(what_if=[wrong]))


def test_two_reads_of_one_name_are_refused() -> None:
    with pytest.raises(RequestError, match="project"):
        hosts_of(declared(PROJECT, PROJECT))


def test_a_cleaned_line_is_cut_at_its_limit() -> None:
    assert one_line("  a\u2028b\t<c>\x00 ", 120) == "a b c" and one_line("word " * 50, 20) == "word word word wo..."
