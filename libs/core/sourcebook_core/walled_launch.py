"""Becomes a program behind walls: `python -m sourcebook_core.walled_launch <order as JSON>`, started by `walled`."""

from __future__ import annotations

import json
import os
import resource
import sys

from sourcebook_core import sandbox_walls

# Nothing of our environment: it holds keys.
_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "AV_LOG_FORCE_NOCOLOR": "1", "MALLOC_ARENA_MAX": "2"}


def main() -> None:
    """Build the walls, then replace this process by the program; its descriptors are those that were inherited."""
    order = json.loads(sys.argv[1])
    path: str = order["program"]
    program = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # before the change of user, who may not be able to reach its folder
    cpu = int(order["cpu_seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
    if sys.platform == "linux":
        sandbox_walls.build_for_program(path, memory_bytes=order["memory_bytes"], file_bytes=order["file_bytes"])
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_bytes"], order["file_bytes"]))
    if os.getppid() != order["parent"]:
        os._exit(1)  # it ended before its end could end us
    target = program if os.execve in os.supports_fd else path
    os.execve(target, [path, *order["arguments"]], _ENVIRONMENT)  # noqa: S606 - becoming another program is its purpose


if __name__ == "__main__":
    main()
