"""What a corpus is made of: layers, exclusions that hold, snippets, captions, and the lock that tells what changed."""

import json
from pathlib import Path

import pytest

from sourcebook.corpus import lock, plan
from sourcebook_core.errors import PermanentError

EXAMPLE = Path(__file__).parents[2] / "examples" / "docs" / "corpus.toml"
TOML = """
[corpus]
name = "lamp"
assistant = "lamp-help"
captions = "captions"

[[layer]]
name = "public"
root = "public"
url = "https://lamp.example/"
exclude = ["secret.md"]
snippets = ["parts/**"]

[[layer]]
name = "local"
root = "local"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for name, text in {
        "public/index.md": "# The lamp\n\nIt shines.\n",
        "public/use.md": '# Use\n\n--8<-- "parts/steps.md"\n\nThen wait.\n',
        "public/parts/steps.md": "1. Press.\n",
        "public/secret.md": "# Secret\n\nThe code is 4711.\n",
        "local/paper.md": "# A paper\n\nBright.\n",
        "corpus.toml": TOML,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "corpus.toml"


def test_pages_carry_layer_title_and_address_and_a_local_page_never_has_one(file: Path) -> None:
    pages = {page.name: page for page in plan.load(file).pages}
    assert sorted(pages) == ["local/paper.md", "public/index.md", "public/use.md"]
    assert pages["public/index.md"].url == "https://lamp.example/"
    assert pages["public/use.md"].meta == {"layer": "public", "path": "use.md", "url": "https://lamp.example/use/"}
    assert pages["local/paper.md"].meta == {"layer": "local", "path": "paper.md"}
    assert (pages["public/use.md"].title, pages["public/use.md"].text) == ("Use", "# Use\n\n1. Press.\n\nThen wait.\n")


def test_an_include_that_pulls_an_excluded_page_fails_and_so_do_circles_and_places_outside(file: Path) -> None:
    use = file.parent / "public" / "use.md"
    for included, said in (
        ("secret.md", "excluded"),
        ("use.md", "circle"),
        ("../local/paper.md", "outside"),
        ("nowhere.md", "cannot be read"),
    ):
        use.write_text(f'# Use\n\n--8<-- "{included}"\n', "utf-8")
        with pytest.raises(PermanentError, match=said):
            plan.load(file)


def test_another_text_is_another_source_and_the_same_text_the_same(file: Path) -> None:
    before = {page.name: page.external_id("lamp") for page in plan.load(file).pages}
    (file.parent / "public" / "index.md").write_text("# The lamp\n\nIt shines at night.\n", "utf-8")
    after = {page.name: page.external_id("lamp") for page in plan.load(file).pages}
    assert {name for name in before if before[name] != after[name]} == {"public/index.md"}


def test_the_lock_names_what_was_changed_added_and_removed_and_no_excluded_file(file: Path) -> None:
    assert "never built" in lock.differences(file, plan.load(file))[0]
    lock.write(file, plan.load(file))
    assert lock.differences(file, plan.load(file)) == []
    assert "secret.md" not in lock.lock_of(file).read_text("utf-8")
    (file.parent / "public" / "parts" / "steps.md").write_text("1. Press hard.\n", "utf-8")
    (file.parent / "public" / "more.md").write_text("# More\n", "utf-8")
    (file.parent / "local" / "paper.md").write_text("# A paper\n\nDim.\n", "utf-8")
    (file.parent / "public" / "index.md").unlink()
    assert lock.differences(file, plan.load(file)) == [
        "local/paper.md was changed.", "public/index.md was removed.", "public/more.md is new.", "public/parts/steps.md was changed.",
    ]  # fmt: skip


def test_captions_are_kept_by_the_hash_of_a_chunk_and_a_file_of_another_form_is_refused(file: Path) -> None:
    captions = file.parent / "captions" / "public" / "use.md.json"
    captions.parent.mkdir(parents=True)
    captions.write_text(json.dumps({"a" * 64: "How the lamp is switched on."}), "utf-8")
    assert next(page for page in plan.load(file).pages if page.path == "use.md").captions == {"a" * 64: "How the lamp is switched on."}
    for broken in ('{"abc": "x"}', '{"' + "a" * 64 + '": 3}', "[]", "{"):
        captions.write_text(broken, "utf-8")
        with pytest.raises(PermanentError, match=r"use\.md\.json"):
            plan.load(file)
    captions.write_text("{}", "utf-8")
    for nowhere in ("public/gone.md.json", "public/secret.md.json", "use.md.json"):  # N-21
        stray = file.parent / "captions" / nowhere
        stray.write_text("{}", "utf-8")
        with pytest.raises(PermanentError, match=f"{nowhere}.* of no page"):
            plan.load(file)
        stray.unlink()
    assert plan.load(file).pages


def test_a_recipe_that_cannot_be_used_says_which_part(file: Path) -> None:
    for text, said in (
        ("[corpus", "no TOML"),
        (TOML.replace('name = "lamp"', 'name = "La mp"'), r"corpus\.name"),
        (TOML + "\nx = 1\n", "layer.1.x"),
    ):
        file.write_text(text, "utf-8")
        with pytest.raises(PermanentError, match=said):
            plan.load(file)


def test_the_committed_example_leaves_its_three_engineering_pages_out() -> None:
    pages = plan.load(EXAMPLE).pages
    assert len([page for page in pages if page.layer == "public"]) >= 25
    assert not [page for page in pages if page.path.startswith("engineering/")]
    assert "assistant/how-it-works.md" in [page.path for page in pages]
