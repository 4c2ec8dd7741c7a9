"""`sourcebook doctor`: what it looks at, what it masks, and that every complaint says what to do."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook import doctor
from sourcebook.stack.folder import DataFolder
from sourcebook_core import settings as core_settings
from tests.rig import free_port


def findings(folder: Path, port: int, env: dict[str, str] | None = None) -> dict[str, doctor.Finding]:
    found = doctor.examine(core_settings.load(env or {}), DataFolder(folder), "127.0.0.1", port)
    return {one.name: one for one in found}


def test_a_machine_that_can_run_the_stack_has_nothing_to_complain_of_but_the_page(tmp_path: Path) -> None:
    found = findings(tmp_path / "none yet", free_port())
    assert {name for name, one in found.items() if not one.good} <= {"page", "sandbox"}
    assert found["postgres"].words.startswith("18")
    assert not (tmp_path / "none yet").exists()  # it only looks


def test_a_taken_port_is_named_with_its_option(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = findings(tmp_path / "data", taken.getsockname()[1])
    assert not found["port"].good
    assert "--port" in found["port"].words


def test_data_of_another_postgres_is_named_with_the_backup_command(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "pg-version").write_text("17\n")
    found = findings(folder, free_port())
    assert not found["postgres"].good
    assert "sourcebook backup" in found["postgres"].words


def test_given_servers_are_said_to_be_given(tmp_path: Path) -> None:
    env = {"SOURCEBOOK_DATABASE_URL": "postgresql://u:secret@h/d", "SOURCEBOOK_REDIS_URL": "redis://:secret@h"}
    found = findings(tmp_path / "data", free_port(), env)
    assert "nothing is embedded" in found["postgres"].words
    assert "nothing is embedded" in found["redis"].words


def test_a_role_whose_address_does_not_answer_is_named_with_its_setting(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}/v1"
    env = {"SOURCEBOOK_CHAT_PROVIDER": "api", "SOURCEBOOK_CHAT_MODEL": "m", "SOURCEBOOK_CHAT_BASE_URL": address}
    found = findings(tmp_path / "data", free_port(), env)
    assert not found["role chat"].good
    assert "SOURCEBOOK_CHAT_BASE_URL" in found["role chat"].words


def test_settings_are_printed_with_their_origin_and_secrets_masked() -> None:
    env = {"SOURCEBOOK_CHAT_API_KEY": "very-secret", "SOURCEBOOK_DATABASE_URL": "postgresql://u:very-secret@h/d", "SOURCEBOOK_PORT": "8411"}
    lines = list(doctor.setting_lines(core_settings.load(env)))
    assert "SOURCEBOOK_PORT = 8411  (environment)" in lines
    assert "SOURCEBOOK_CHAT_API_KEY = (set, hidden)  (environment)" in lines
    assert "very-secret" not in "\n".join(lines)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("ask", "What?", "--data", "{tmp}/none"), 3, "start it with `sourcebook up`"),
        (("list", "elephants"), 2, "elephants"),
        (("restore", "{tmp}/none.tar", "--data", "{tmp}/new"), 1, "name a file that `sourcebook backup` wrote"),
        (("backup", "--data", "{tmp}/none"), 1, "--data"),
    ],
)
def test_a_command_that_cannot_do_its_work_says_why_and_exits_with_its_code(
    tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    filled = [word.format(tmp=tmp_path) for word in words]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "COLUMNS": "300"}
    done = subprocess.run([sys.executable, "-m", "sourcebook", *filled], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
