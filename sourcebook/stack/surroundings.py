"""What the launcher takes from the machine around it: the environment and the usual place for a person's data."""

import os
import sys
from pathlib import Path


def environment() -> dict[str, str]:
    """A copy of this process's environment, to hand to children."""
    return dict(os.environ)


def default_data_folder() -> Path:
    """`SOURCEBOOK_DATA_DIR`, else where this platform keeps a person's data."""
    env = environment()
    given = env.get("SOURCEBOOK_DATA_DIR")
    if given:
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Sourcebook"
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "sourcebook"
