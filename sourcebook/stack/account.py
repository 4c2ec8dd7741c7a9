"""Which system account the embedded Postgres and Redis run under.

Postgres refuses to run as root. Started by root, the stack lends both servers the first of a few accounts
that such machines have; started by anyone else, they run as that person.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sourcebook.stack.errors import StackError

# An account of our own is best (`useradd --system sourcebook`): nothing else on the machine runs as it.
ACCOUNTS_FOR_ROOT = ("sourcebook", "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """A system account; `switch` says that a child has to change to it (only when we are root)."""

    name: str
    uid: int
    gid: int
    switch: bool

    def can_enter(self, folder: Path) -> bool:
        """Whether this account may walk into `folder` (asks the kernel from a child that runs as it)."""
        if not self.switch:
            return os.access(folder, os.X_OK)
        asked = subprocess.run(["test", "-x", str(folder)], check=False, cwd="/", user=self.uid, group=self.gid, extra_groups=[])
        return asked.returncode == 0

    def own(self, folder: Path) -> None:
        """Make `folder` (0700, created if missing) belong to this account. Parents are never touched."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if self.switch:
            os.chown(folder, self.uid, self.gid)
            folder.chmod(0o700)


def current() -> Account:
    """The account the servers run under, now. Raises StackError when root finds none to lend them."""
    if os.geteuid() != 0:
        uid = os.geteuid()
        try:
            name = pwd.getpwuid(uid).pw_name
        except KeyError as unknown:
            # initdb looks its own user up by number and gives up when there is none (containers with a bare --user).
            raise StackError(
                "no_account", f"User number {uid} has no name on this machine, and Postgres needs one: add it to /etc/passwd."
            ) from unknown
        return Account(name, uid, os.getegid(), switch=False)
    for name in ACCOUNTS_FOR_ROOT:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        if found.pw_uid != 0:
            return Account(name, found.pw_uid, found.pw_gid, switch=True)
    raise StackError(
        "no_account", "Postgres does not run as root and no system account was found: run `useradd --system sourcebook`, then try again."
    )
