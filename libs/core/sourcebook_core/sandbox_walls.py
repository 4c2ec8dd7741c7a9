"""The walls around a child that reads untrusted bytes: memory, time, files, network, programs, rights."""

from __future__ import annotations

import ctypes
import glob
import os
import platform
import resource
import struct
import sysconfig
from collections.abc import Iterable
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 38, 22
_SECCOMP_MODE_FILTER = 2
_NOBODY = 65534
_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts")
# Landlock, from linux/landlock.h: rights of files by the ABI that brought them.
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 5: 16}
_RUN, _READ_FILE, _LIST = 1 << 0, 1 << 2, 1 << 3
_NET_RIGHTS = 0b11  # bind and connect TCP, ABI 4
_SCOPES = 0b11  # abstract sockets and signals, ABI 6
_SYS_LANDLOCK_CREATE, _SYS_LANDLOCK_ADD, _SYS_LANDLOCK_RESTRICT = 444, 445, 446  # the same on every architecture

# System calls that no reader needs, by (x86-64, AArch64) number; None where an architecture has none.
_DENIED = {
    "socket": (41, 198), "connect": (42, 203), "accept": (43, 202), "sendto": (44, 206), "recvfrom": (45, 207), "sendmsg": (46, 211),
    "recvmsg": (47, 212), "bind": (49, 200), "listen": (50, 201), "socketpair": (53, 199), "accept4": (288, 242), "clone": (56, 220),
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "kill": (62, 129), "ptrace": (101, 117), "mount": (165, 40),
    "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "unshare": (272, 97), "perf_event_open": (298, 241), "open_by_handle_at": (304, 265),
    "setns": (308, 268), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "finit_module": (313, 273),
    "memfd_create": (319, 279), "bpf": (321, 280), "execveat": (322, 281), "userfaultfd": (323, 282), "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "pidfd_open": (434, 434),
    "clone3": (435, 435), "pidfd_getfd": (438, 438),
}  # fmt: skip
# Where Landlock is missing, nothing may be opened at all.
_DENIED_FILES = {
    "open": (2, None), "creat": (85, None), "openat": (257, 56), "openat2": (437, 437), "rename": (82, None), "mkdir": (83, None),
    "rmdir": (84, None), "link": (86, None), "unlink": (87, None), "symlink": (88, None), "chmod": (90, None), "chown": (92, None),
    "mkdirat": (258, 34), "unlinkat": (263, 35), "renameat": (264, 38), "renameat2": (316, 276), "linkat": (265, 37),
    "symlinkat": (266, 36), "fchmodat": (268, 53), "fchownat": (260, 54), "truncate": (76, 45),
}  # fmt: skip
_AUDIT_ARCH = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_EPERM = 1
# A started program (ffmpeg) has threads, and its start is a call too; but it may not leave the group in which it is killed.
_PROGRAM_MAY = {"clone", "clone3", "fork", "vfork", "execve", "execveat"}
_PROGRAM_MAY_NOT = {"setsid": (112, 157), "setpgid": (109, 154)}
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
_LOADERS = ("/lib/ld-*.so*", "/lib64/ld-*.so*", "/lib/*/ld-*.so*", "/nix/store/*glibc*/lib/ld-*.so*")


def die_with_parent() -> None:
    """SIGKILL for this process when its parent ends; lost at a change of user, so call it again after one."""
    _libc().prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)


def build(memory_bytes: int) -> list[str]:
    """Put every wall around this process that the kernel allows, for good; returns the names of those that stand.

    After this: no file can be opened but fonts and the code of Python and its packages (nothing at all where Landlock is
    missing), none be written, no socket be made or used, no program be started, no other process be touched.
    """
    standing = _shut(_readable(), (), memory_bytes, 0)
    if _seccomp(_libc(), {**_DENIED, **({} if "landlock" in standing else _DENIED_FILES)}):
        standing.append("seccomp")
    return standing


def build_for_program(path: str, *, memory_bytes: int, file_bytes: int) -> list[str]:
    """The walls around this process when it is about to become a program; returns the names of those that stand.

    After this: only the program and its libraries can be opened, no file but an inherited descriptor be written (none above
    `file_bytes`), no socket be made or used, no other program be started, no other process be touched.
    """
    runnable = [path, *(found for pattern in _LOADERS for found in glob.glob(pattern))]
    standing = _shut(_LIBRARIES, runnable, memory_bytes, file_bytes)
    denied = {name: numbers for name, numbers in _DENIED.items() if name not in _PROGRAM_MAY}
    if _seccomp(_libc(), {**denied, **_PROGRAM_MAY_NOT}):
        standing.append("seccomp")
    return standing


def _shut(readable: Iterable[str], runnable: Iterable[str], memory_bytes: int, file_bytes: int) -> list[str]:
    """The walls that both kinds of child have; the system calls are walled off by the caller, last."""
    libc = _libc()
    standing = []
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        standing.append("no_new_privileges")
    if _landlock(libc, readable, runnable):
        standing.append("landlock")
    if _drop_rights():
        standing.append("unprivileged_user")
    die_with_parent()
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, file_bytes), (resource.RLIMIT_NOFILE, 64)):
        resource.setrlimit(limit, (value, value))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    standing.append("limits")
    return standing


def allow_cpu(seconds: float) -> None:
    """From here on this process may use so much more processor time; then the kernel ends it (SIGXCPU)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _drop_rights() -> bool:
    """True when this process is no superuser afterwards."""
    if os.geteuid() != 0:
        return True
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError:
        return False
    return True


def _readable() -> Iterable[str]:
    """Folders whose files a reader may need later: fonts for pages without their own, and modules that are loaded late."""
    yield from _FONTS
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        yield sysconfig.get_paths()[name]
    yield str(Path(__file__).parent)


def _landlock(libc: ctypes.CDLL, readable: Iterable[str], runnable: Iterable[str]) -> bool:
    """Whether this process is now held to reading what lies there and running those files (Linux 5.13 or newer with Landlock on)."""
    abi = libc.syscall(_SYS_LANDLOCK_CREATE, None, 0, 1)
    if abi < 1:
        return False
    rights = (1 << _RIGHTS_BY_ABI[max(known for known in _RIGHTS_BY_ABI if known <= abi)]) - 1
    fields = [rights, _NET_RIGHTS if abi >= 4 else 0, _SCOPES if abi >= 6 else 0]
    count = 3 if abi >= 6 else 2 if abi >= 4 else 1
    ruleset_attr = struct.pack(f"={count}Q", *fields[:count])
    ruleset = libc.syscall(_SYS_LANDLOCK_CREATE, ruleset_attr, len(ruleset_attr), 0)
    if ruleset < 0:
        return False
    try:
        for place in readable:
            _allow(libc, ruleset, place, _READ_FILE | (_LIST if os.path.isdir(place) else 0))
        for place in runnable:
            _allow(libc, ruleset, place, _READ_FILE | _RUN)
        return bool(libc.syscall(_SYS_LANDLOCK_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there: nothing to allow
    try:
        libc.syscall(_SYS_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _seccomp(libc: ctypes.CDLL, denied: dict[str, tuple[int, int | None]]) -> bool:
    """Whether the kernel now answers those system calls with EPERM. Source: linux/filter.h, linux/seccomp.h."""
    if platform.machine() not in _AUDIT_ARCH:
        return False
    column, arch = _AUDIT_ARCH[platform.machine()]
    numbers = [number for pair in denied.values() if (number := pair[column]) is not None]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | _EPERM, 0x80000000
    program = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, kill), (load, 0, 0, 0), (at_least, len(numbers) + 1, 0, 0x40000000)]
    program += [(equal, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    program += [(give, 0, 0, allow), (give, 0, 0, refuse)]
    code = b"".join(struct.pack("=HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    header = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0) == 0)
