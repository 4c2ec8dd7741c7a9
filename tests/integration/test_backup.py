"""Backup and restore of a data folder: everything comes back, and nothing is overwritten."""

import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from sourcebook.stack import backup, schema, supervisor
from sourcebook.stack.errors import StackError
from sourcebook.stack.folder import DataFolder
from sourcebook.stack.postgres import Postgres
from sourcebook_core import migrations
from sourcebook_core import settings as core_settings
from tests.rig import in_memory, short_folder


@pytest.fixture
def folders() -> Iterator[tuple[DataFolder, DataFolder]]:
    """Two data folders of this test, in a place with a space; removed with their databases."""
    with short_folder("keep", in_memory()) as root:
        both = DataFolder(root / "old one"), DataFolder(root / "new one")
        yield both
        for folder in both:
            supervisor.forget(folder.path)


async def fill(postgres: Postgres) -> None:
    await migrations.run(core_settings.load({"SOURCEBOOK_DATABASE_URL": postgres.url()}))
    conn = await asyncpg.connect(postgres.url())
    await conn.execute("create table canary (word text); insert into canary values ('Käsebrot')")
    await conn.close()


async def test_a_backup_restored_into_a_new_folder_holds_rows_roles_files_and_key(
    folders: tuple[DataFolder, DataFolder], tmp_path: Path
) -> None:
    old, new = folders
    with backup.opened(old) as postgres:
        await fill(postgres)
    (old.blobs / "sources" / "a b").mkdir(parents=True)
    (old.blobs / "sources" / "a b" / "original").write_bytes(b"%PDF-1.7 ...")
    key = old.secret_key()
    target = tmp_path / "copy.tar"
    manifest = backup.write(old, target)
    assert manifest.files == 1
    assert stat.S_IMODE(target.stat().st_mode) == 0o600

    backup.restore(target, new)
    assert new.secret_key() == key
    assert (new.blobs / "sources" / "a b" / "original").read_bytes() == b"%PDF-1.7 ..."
    with backup.opened(new) as postgres:
        conn = await asyncpg.connect(postgres.url())
        assert await conn.fetchval("select word from canary") == "Käsebrot"
        assert await conn.fetchval("select version_num from alembic_version") == migrations.newest()
        async with conn.transaction():
            await conn.execute("set local role sourcebook_search")
            assert await conn.fetchval("select count(*) from corpus.chunks") == 0
        await conn.close()


def test_a_backup_overwrites_no_file_and_a_restore_no_database(folders: tuple[DataFolder, DataFolder], tmp_path: Path) -> None:
    old, new = folders
    with backup.opened(old):
        pass
    target = tmp_path / "copy.tar"
    backup.write(old, target)
    with pytest.raises(StackError) as refused:
        backup.write(old, target)
    assert refused.value.code == "file_exists"
    with pytest.raises(StackError) as refused:
        backup.restore(target, old)
    assert refused.value.code == "not_empty"
    with pytest.raises(StackError) as refused:
        backup.write(new, tmp_path / "none.tar")
    assert refused.value.code == "nothing_there"


def test_a_file_that_is_no_backup_is_refused_by_name(folders: tuple[DataFolder, DataFolder], tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_text("no tar at all")
    with tarfile.open(tmp_path / "other.tar", "w"):
        pass
    for name in ("x.tar", "other.tar", "missing.tar"):
        with pytest.raises(StackError) as refused:
            backup.restore(tmp_path / name, folders[1])
        assert refused.value.code == "not_a_backup"
    assert not (folders[1].path / "pg-version").exists()


def test_a_database_that_holds_something_is_backed_up_before_it_is_changed(folders: tuple[DataFolder, DataFolder]) -> None:
    old, _ = folders
    said: list[str] = []
    with backup.opened(old) as postgres:
        settings = core_settings.load({"SOURCEBOOK_DATABASE_URL": postgres.url()})
        assert schema.bring_up_to_date(settings, old, postgres, said.append)
        assert not (old.path / "backups").exists()  # it was empty: nothing to lose
        assert not schema.bring_up_to_date(settings, old, postgres, said.append)
        postgres.sql("update alembic_version set version_num = '0000'")
        with pytest.raises(Exception, match="0000"):  # no such migration: but the copy was made first
            schema.bring_up_to_date(settings, old, postgres, said.append)
        assert [path.name for path in old.path.glob("backups/*/*")] != []


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(folders: tuple[DataFolder, DataFolder]) -> None:
    old, _ = folders
    with backup.opened(old) as postgres:
        settings = core_settings.load({"SOURCEBOOK_DATABASE_URL": postgres.url()})
        schema.bring_up_to_date(settings, old, postgres, lambda _: None)
        postgres.sql("update alembic_version set version_num = '9999_later'")
        with pytest.raises(StackError) as refused:
            schema.bring_up_to_date(settings, old, postgres, lambda _: None)
    assert refused.value.code == "newer_database"
