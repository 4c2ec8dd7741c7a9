"""The gate: a question set through gateway, ingest and rag as they are, over what the local embedding model once answered."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sourcebook.client import Client
from sourcebook.evaluation import report, sets
from sourcebook.evaluation import run as runs
from sourcebook.evaluation.run import Report
from sourcebook_core import noise
from sourcebook_core.errors import PermanentError
from tests.fakes.recorded import AGAIN, SET, RecordedEmbedder
from tests.integration.gateway_rig import whole_gateway
from tests.rig import TestPostgres

# Diagnostic (S4-40): small talk that finds something here. Told, and fails nothing.
KNOWN_GAPS = {
    "jak se dnes máš?": "its one word that is no stop word (today) stands in a Czech notice",
    "¿qué tal el fin de semana?": "0.32 near to a notice about weekends, at the floor of 0.31",
}


@dataclass
class Measured:
    """The set's run, and a client of the stack that it ran on."""

    client: Client
    notebook: str
    report: Report
    embedder: RecordedEmbedder


@pytest.fixture(scope="module")
def measured(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    folder = tmp_path_factory.mktemp("gate")
    with RecordedEmbedder() as embedder, whole_gateway(postgres, folder, ASKS_PER_MINUTE="0", **embedder.environment()) as stack:
        started, owner, _ = stack
        for name in ("ingest", "rag"):
            started.start(name, wait=True, **embedder.environment())
        token = (folder / "data" / "owner-token").read_text()
        with Client(owner.address, token) as client:
            made = runs.run(client, sets.load(SET), print)
            notebook = next(one["id"] for one in client.everything("/notebooks"))
            yield Measured(client, notebook, made, embedder)


def test_every_text_has_its_recorded_vector(measured: Measured) -> None:
    assert not measured.embedder.missing, f"{AGAIN} First of {len(measured.embedder.missing)}: {measured.embedder.missing[0][:200]!r}"


def test_the_thresholds_that_were_written_before_the_first_run_hold(measured: Measured) -> None:
    found = sets.load(SET)
    for line in report.lines(measured.report) + report.missed(measured.report, found.thresholds, found.diagnostic):
        print(line)
    assert report.missed(measured.report, found.thresholds, found.gating) == []


def test_merging_loses_nothing_that_words_or_meaning_found_beyond_chance(measured: Measured) -> None:
    """On no kind is merged worse than either list by an interval that excludes 0 (S2-45)."""
    for kind in ("plain", "exact", "vague", "otherlang"):
        rows = [row for row in measured.report.rows if row.kind == kind]
        for arm in ("words", "meaning"):
            found = report.gain(rows, arm)
            assert not (found.excludes_zero and found.mean < 0), (kind, arm, found)


def test_a_sure_answer_is_never_wrong(measured: Measured) -> None:
    assert runs.clear_ones(measured.report.rows)["wrong"] == 0  # S2-36
    assert runs.clear_ones(measured.report.rows)["clear"] > 0


def test_a_notebooks_own_test_questions_are_measured_over_it_as_it_is(measured: Measured) -> None:
    asked = {one.qid: one for one in sets.load(SET).questions}
    client, notebook = measured.client, measured.client.get(f"/notebooks/{measured.notebook}")
    with pytest.raises(PermanentError):
        runs.run_notebook(client, notebook, print)
    sources = client.everything(f"/notebooks/{measured.notebook}/sources", limit=200)
    room = next(one["id"] for one in sources if one["external_id"].endswith(":library-velmar-room"))
    client.post(f"/notebooks/{measured.notebook}/questions", {"question": asked["lake-012"].question, "source_ids": [room]})
    client.post(f"/notebooks/{measured.notebook}/questions", {"question": noise.QUESTIONS[0], "source_ids": []})
    made = runs.run_notebook(client, notebook, print)
    found = made.as_json()["table"]["merged"]
    assert (made.set_name, found["plain"]["recall@5"], found["unanswerable"]["refused"]) == (notebook["title"], 1.0, 1.0)


@pytest.mark.parametrize("question", [one for one in noise.QUESTIONS if one not in KNOWN_GAPS])
def test_noise_finds_nothing(measured: Measured, question: str) -> None:
    assert measured.client.post(f"/notebooks/{measured.notebook}/search", {"query": question})["items"] == []


def test_known_gaps_are_told() -> None:
    assert set(KNOWN_GAPS) < set(noise.QUESTIONS)
    for question, why in KNOWN_GAPS.items():
        print(f"{question}: {why}")
