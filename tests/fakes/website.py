"""A small website over real HTTP on 127.0.0.1, with pages as tests need them: honest, broken, endless, hostile."""

import asyncio
import gzip
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

ARTICLE = (
    "<html><head><title>The lakes of Siberia</title><meta name='author' content='Ada Lake'></head><body>"
    "<div class='cookie'>We use cookies. Accept all cookies?</div><nav><a href='/'>Home</a></nav><article><h1>Lakes</h1>"
    + "<p>Lake Baikal holds a fifth of the fresh water that is not ice, and it is the oldest lake on Earth.</p>"
    * 6
    + "<h2>Depth</h2><p>At its deepest place it is 1,642 metres deep, which was measured from several ships.</p>"
    "<script>document.write('never')</script></article></body></html>"
)


def article(name: str) -> str:
    """A page about this, long enough to be a source."""
    return ARTICLE.replace("Siberia", name).replace("Lake Baikal", f"Lake {name}")


def sitemap(*links: tuple[str, str | None]) -> bytes:
    """A sitemap of these addresses, each with the day of its last change."""
    entries = "".join(f"<url><loc>{url}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>" for url, day in links)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


@dataclass
class Answer:
    """One page: status, headers and body; `raw` replaces the whole answer; `drip` sends the body so slowly and for ever."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    raw: bytes | None = None
    drip_s: float | None = None


class Website:
    """Serves `pages` (path → Answer, or a function of the request's head) from a thread until closed; `seen` are the heads."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer | Callable[[str], Answer]] = {"/article": Answer(ARTICLE.encode())}
        self.seen: list[str] = []
        self.bodies: list[bytes] = []  # of requests that have one, in order
        self.port = 0
        self._answering: set[asyncio.Task[None]] = set()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(head.split()[1] == path for head in self.seen)

    @property
    def place(self) -> str:
        """host:port, as SOURCEBOOK_URL_ALLOW takes it."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"http://{self.place}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(30)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.run(self._served())

    async def _served(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._closing.wait()
        server.close()
        await _turns(3)  # a connection that was taken in this moment comes to `_answer`, which closes it
        answering = list(self._answering)
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)
        await _turns(2)  # a socket is closed in the turn after its transport

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = next((int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
            if length:
                self.bodies.append(await reader.readexactly(length))
            self.seen.append(head)
            found = self.pages.get(head.split()[1], Answer(b"<p>nothing here</p>", 404))
            await self._send(writer, found(head) if callable(found) else found)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            writer.close()
            self._answering.discard(task)

    async def _send(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return
        headers = {"Connection": "close", **answer.headers}
        if answer.drip_s is None and "Content-Length" not in headers:
            headers["Content-Length"] = str(len(answer.body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} X\r\n{lines}\r\n".encode() + (answer.body if answer.drip_s is None else b""))
        await writer.drain()
        while answer.drip_s is not None:
            writer.write(b"x" * 1000 if answer.drip_s == 0 else b"x")
            await writer.drain()
            await asyncio.sleep(answer.drip_s)


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def gzipped_zeros(megabytes: int) -> bytes:
    """A small body that unpacks to so many megabytes."""
    return gzip.compress(b"\0" * 1_000_000 * megabytes, 9)
