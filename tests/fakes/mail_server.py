"""A small mail server over real SMTP on 127.0.0.1: keeps what it gets, busy at first where a test wants that."""

import socket
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Self


class MailServer:
    """Takes mail in a thread until closed; `letters` are the mails. The first `busy` are put off with 451."""

    def __init__(self, busy: int = 0) -> None:
        self.letters: list[EmailMessage] = []
        self.busy = busy
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb") as talk:
                self._talk(talk)

    def _talk(self, talk) -> None:  # type: ignore[no-untyped-def]  # a socket's file has no name
        def say(words: str) -> None:
            talk.write(words.encode() + b"\r\n")
            talk.flush()

        say("220 here")
        for line in talk:
            verb = line[:4].upper()
            if verb == b"DATA":
                say("354 go on")
                self._take(talk)
                say("250 kept")
            elif verb == b"MAIL" and self.busy:
                self.busy -= 1
                say("451 come later")
            elif verb == b"QUIT":
                say("221 bye")
                return
            else:
                say("250 ok")

    def _take(self, talk) -> None:  # type: ignore[no-untyped-def]
        lines = []
        for line in talk:
            if line == b".\r\n":
                break
            lines.append(line[1:] if line.startswith(b"..") else line)
        self.letters.append(message_from_bytes(b"".join(lines), policy=policy.default))
