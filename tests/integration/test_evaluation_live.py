"""`sourcebook eval answers`: what answers cite, take and cost, asked as people ask; what a provider does not tell stays unknown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.client import Client
from sourcebook.evaluation import live
from sourcebook.evaluation.live import Answered
from sourcebook.evaluation.sets import Question
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.gateway_rig import Api, owner_api
from tests.rag_rig import chat_settings
from tests.rig import Processes

DEPTH = Question("q1", "How deep is the lake of Velmar?", "en", "plain", frozenset({"lake"}))
TEA = Question("q2", "What does a pound of tea cost in Velmar?", "en", "unanswerable", frozenset())
PRICES = '[models."fake-chat"]\ntokens_in = "1000"\ntokens_out = "2000"\n'


@pytest.fixture
def api(processes: Processes, owner_token: str, fake: FakeProvider, tmp_path: Path) -> Iterator[Api]:
    (tmp_path / "prices.toml").write_text(PRICES)
    processes.environment |= chat_settings(fake) | {"SOURCEBOOK_PRICES": str(tmp_path / "prices.toml")}
    with owner_api(processes, owner_token) as (_, made):
        for name in ("ingest", "rag"):
            processes.start(name)
        yield made


def test_answers_are_kept_with_what_they_cite_take_and_cost_and_missing_usage_stays_missing(
    api: Api, processes: Processes, owner_token: str, fake: FakeProvider, tmp_path: Path
) -> None:
    notebook = api.notebook()
    source = api.text(notebook, "The lake of Velmar is forty metres deep at its southern end.", title="Lake")["id"]
    api.ready(source)
    answer = "The lake is forty metres deep at its southern end [1]."
    fake.script.add(
        Reply(text=answer, match="How deep"), Reply(text="NOT_COVERED\nThe sources do not say.", match="pound of tea"),
        Reply(text=answer, match="How deep", usage=False), Reply(status=400, message="no", match="How deep", times=0),
    )  # fmt: skip
    with Client(str(api.http.base_url).removesuffix("/").removesuffix("/api/v1"), owner_token) as client:
        found = live.run(client, notebook, [DEPTH, TEA, DEPTH, DEPTH], {source: "lake"}, print)
    told, nothing, uncounted, failed = found
    assert (told.finish, told.cited, told.cites_relevant, told.calls) == ("complete", ("lake",), True, 1)
    assert told.first_s is not None and 0 < told.first_s <= told.total_s
    assert told.tokens_in and told.tokens_out and told.cost is not None
    assert float(told.cost) == pytest.approx((told.tokens_in * 1000 + told.tokens_out * 2000) / 1e6)
    assert told.prompt is not None and told.prompt.startswith("answer@") and told.prompt == uncounted.prompt
    assert (nothing.cited, nothing.cites_relevant, nothing.reply_kind) == ((), False, "none")
    assert (uncounted.calls, uncounted.tokens_in, uncounted.tokens_out, uncounted.cost) == (1, None, None, None)
    assert (failed.finish, failed.error, failed.tokens_in) == ("broken", "model_refused", None)
    assert api.get(f"/notebooks/{notebook}/conversations").json()["items"] == []
    assert api.get(f"/notebooks/{notebook}/misses").json()["items"] == []
    live.write(found, tmp_path / "kept" / "answers.json")
    assert '"tokens_in": null' in (tmp_path / "kept" / "answers.json").read_text("utf-8")


def test_a_sum_that_lacks_parts_says_of_how_many_answers() -> None:
    one = Answered("1", "plain", "en", "complete", cited=("d",), cites_relevant=True, total_s=1.0, tokens_in=10, tokens_out=2, cost="0.5")
    lines = live.lines([one, Answered("2", "plain", "en", "complete", total_s=3.0), Answered("3", "plain", "en", "broken", error="x")])
    assert lines[:2] == ["3 answers, 1 failed", "cite a document that answers: 1 of 2"]
    assert lines[-3:] == ["tokens in: 10 (1 not told)", "tokens out: 2 (1 not told)", "cost: 0.5000 (1 not told)"]
