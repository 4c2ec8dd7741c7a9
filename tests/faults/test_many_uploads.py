"""F38: a thousand uploads at once, then one small question: it is answered while they wait."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.integration.gateway_rig import Api, owner_api
from tests.load.figures import percentile
from tests.rig import PATIENT, Processes, until_sync

QUESTIONS = 12
A_REQUEST = 100


@pytest.fixture
def api(processes: Processes, owner_token: str) -> Iterator[Api]:
    with owner_api(processes, owner_token) as (_, made):
        processes.start("ingest", **PATIENT)
        processes.start("rag", **PATIENT)
        yield made


def ask(api: Api, notebook: str, times: int) -> list[float]:
    """Ask so often, one after the other, and give the seconds each took; each must be answered and cited."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        answer = api.post(f"/notebooks/{notebook}/ask", {"question": "When did the mill close?"}, headers={"Accept": "application/json"})
        took.append(time.perf_counter() - began)
        assert answer.status_code == 200, answer.text
        assert "1968" in answer.json()["answer"] and answer.json()["citations"]
    return took


@pytest.mark.parametrize("uploads", [A_REQUEST, pytest.param(1000, marks=pytest.mark.long)])
def test_a_question_is_answered_while_many_uploads_wait(api: Api, uploads: int, record_property: Callable[[str, object], None]) -> None:
    small, large = api.notebook("Small"), api.notebook("Large")
    mill = api.text(small, "The mill at the river closed in 1968.")
    until_sync(lambda: api.get(f"/sources/{mill['id']}").json()["status"] == "ready", 60, "the small source")
    idle = ask(api, small, QUESTIONS)
    for first in range(0, uploads, A_REQUEST):
        files = [(f"{number}.txt", f"Lake {number} is {number} metres deep.".encode() * 50) for number in range(first, first + A_REQUEST)]
        assert api.upload(large, *files).status_code == 202
    busy = ask(api, small, 1)
    waiting = api.get(f"/notebooks/{large}").json()["source_counts"]["working"]
    assert waiting > uploads / 2, "the question did not wait for them"
    if uploads > A_REQUEST:
        busy += ask(api, small, QUESTIONS)
    ratio = percentile(busy, 95) / percentile(idle, 95)
    record_property("question_p95_ratio", round(ratio, 2))
    print(f"question p95 idle {percentile(idle, 95):.3f} s, with {uploads} uploads {percentile(busy, 95):.3f} s, ratio {ratio:.2f}")
