"""Each rule of the house is seen to fail once: a rule that cannot fail is advice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import rules

CHECKOUT = Path(__file__).resolve().parents[2]

# One small tree of packages that breaks every import contract of pyproject.toml.
BROKEN = {
    "sourcebook/__init__.py": "import sourcebook_gateway\n",
    "sourcebook_core/__init__.py": "import sourcebook_rag\n",
    "sourcebook_core/errors.py": "import sourcebook_core.store\n",
    "sourcebook_core/settings.py": "",
    "sourcebook_core/db.py": "",
    "sourcebook_core/bell.py": "",
    "sourcebook_core/jobs.py": "",
    "sourcebook_core/jobs_runtime.py": "",
    "sourcebook_core/store/__init__.py": "import sourcebook_core.bell\n",
    "sourcebook_gateway/__init__.py": "import sourcebook_ingest\nimport asyncpg\n",
    "sourcebook_ingest/__init__.py": "import openai\n",
    "sourcebook_rag/__init__.py": "import arq\n",
    "sourcebook_models/__init__.py": "",
}


def test_every_import_contract_can_fail(tmp_path: Path) -> None:
    for name, text in BROKEN.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text or '"""Empty."""\n')
    program = Path(sys.executable).with_name("lint-imports")
    env = os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "400"}
    said = subprocess.run(
        [str(program), "--no-cache", "--config", str(CHECKOUT / "pyproject.toml")],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    verdicts = [line.rsplit(maxsplit=1)[-1] for line in said.stdout.splitlines() if line.endswith((" KEPT", " BROKEN"))]
    assert said.returncode == 1, said.stdout + said.stderr
    assert len(verdicts) >= 7
    assert set(verdicts) == {"BROKEN"}, said.stdout


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("libs/x.py", "\n" * 401, "the limit is 400"),
        ("tests/unit/test_x.py", "\n" * 501, "the limit is 500"),
        ("libs/x.py", "def f():\n" + "    a = 1\n" * 60, "f has 61 lines"),
        ("libs/utils.py", "", "named for what is in it"),
        ("tests/unit/test_x.py", "from unittest" + ".mock import Mock\n", "no mocks"),
        ("tests/unit/test_x.py", "time" + ".sleep(3)\n", "do not sleep"),
        ("tests/unit/test_x.py", "def test" + "_it(): ...\n", "not a sentence"),
        ("services/x.py", 'log.info("Something happened")\n', "noun.past_verb"),
    ],
)
def test_a_broken_rule_is_named(name: str, text: str, complaint: str) -> None:
    path = rules.ROOT / name
    assert complaint in "\n".join([*rules.long_things(path, text), *rules.words(path, text)])


def test_what_follows_the_rules_is_let_pass() -> None:
    path = rules.ROOT / "services/source.py"
    text = 'def read():\n    log.info("source.read", pages=3)\n'
    assert [*rules.long_things(path, text), *rules.words(path, text)] == []


def test_a_lock_with_a_download_address_is_recognised() -> None:
    assert rules.ADDRESSES_IN_LOCKS.search('"resolved": "https://example.org/x.tgz"')
    assert rules.ADDRESSES_IN_LOCKS.search("x==1\n--index-url https://example.org/simple\n")
    assert not rules.ADDRESSES_IN_LOCKS.search('"name": "x"')
    assert list(rules.locks()) == []
