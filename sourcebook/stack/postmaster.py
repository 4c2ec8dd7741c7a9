"""Whether a process number still means a live Postgres server on a cluster of ours."""

import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether any process has this number now."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def serves(pid: int, cluster: Path) -> bool:
    """Whether `pid` is a live server on this cluster: a postmaster's working directory is its cluster."""
    if not is_alive(pid):
        return False
    if not Path("/proc/self").exists():
        return True  # macOS: the word of the server's own file counts
    try:
        where = Path(f"/proc/{pid}/cwd").readlink()
    except (FileNotFoundError, PermissionError):  # gone meanwhile, or someone else's
        return False
    return where == cluster.resolve()
