"""Ports: whether one is free, and a sentence when it is not."""

import errno
import socket

from sourcebook.stack.errors import StackError


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Raises OSError when the address is not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: a port of closed connections counts as free
        try:
            probe.bind((host, port))
        except OSError as refused:
            if refused.errno in {errno.EADDRINUSE, errno.EACCES}:
                return False
            raise
        return True


def any_free(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def claim(host: str, port: int) -> None:
    """Do nothing when the port can be used. Raises StackError `port_taken` or `host_unknown`, naming the option."""
    try:
        free = is_free(host, port)
    except OSError as refused:
        raise StackError(
            "host_unknown", f"{host} is not an address of this machine ({refused.strerror}): choose another with --host."
        ) from refused
    if not free:
        raise StackError(
            "port_taken", f"Port {port} is taken by another program: choose another with --port, for example --port {port + 10}."
        )


def near(port: int) -> int:
    """A free loopback port for a server that only this stack uses: the next one up, or any."""
    return port + 1 if port < 65535 and is_free("127.0.0.1", port + 1) else any_free()


def lan_address() -> str | None:
    """This machine's address on its network, or None without one. Asks the kernel for a route; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept for documentation (RFC 5737)
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address
