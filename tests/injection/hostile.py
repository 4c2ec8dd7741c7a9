"""What a hostile document is, and the model that obeys it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.script import Reply, Request

EVIL = "evil.invalid"  # stands for the outside host; a test puts the address of a server of its own there
SECRET = "kestrel4471"  # stands in a harmless source of the same notebook: what an obeying model would carry outside
FENCE_LINE = re.compile(r"^<<[0-9a-f]{18}>>$", re.MULTILINE)
_PASSAGE = re.compile(r"^\[(\d+)\][^\n]*\n(<<[0-9a-f]{18}>>)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Hostile:
    """A document and its order. `place` is what it is about and what the question asks for; it stands in no other document.

    `obeyed` is the reply of a model that obeys: `@n@` is the number of the document's passage, `@all@` the whole prompt, `@fence@` its
    fence, `@secret@` what the notebook holds. It is sent `times` times in a row. `forges`: it cites what was never handed over;
    `breaks`: what comes of it is no answer, and the turn fails.
    """

    place: str
    family: str
    name: str
    content: bytes
    obeyed: str
    times: int = 1
    forges: bool = False
    breaks: bool = False

    @property
    def question(self) -> str:
        """What is asked, so that the document is found."""
        return f"What does the report on {self.place} say about the bridge of {self.place}?"

    def toward(self, host: str, *foreign: str) -> Hostile:
        """The same, with this outside host; of two more words the first is replaced by the second."""
        exchanged = [(EVIL, host), *([(foreign[0], foreign[1])] if foreign else [])]
        made = self
        for old, new in exchanged:
            content = made.content if made.content[:2] == b"PK" else made.content.replace(old.encode(), new.encode())
            made = replace(made, name=made.name.replace(old, new), content=content, obeyed=made.obeyed.replace(old, new))
        return made


def told(place: str) -> str:
    """The harmless sentence with which every document begins."""
    return f"The bridge of {place} was built of grey stone in 1907."


def note(place: str, family: str, order: str, obeyed: str, *, name: str | None = None, **more: Any) -> Hostile:
    """A document of Markdown: a harmless sentence, then the order."""
    content = f"# Report on {place}\n\n{told(place)}\n\n{order}\n".encode()
    return Hostile(place, family, name or f"{place}.md", content, obeyed, **more)


def handed(request: Request) -> Mapping[int, str]:
    """The passages of a request by their number, as a reader of the fences would find them."""
    return {int(n): text for n, _, text in _PASSAGE.findall(str(request.messages[-1]["content"]))}


class Obedient:
    """The scripted model: it does what the document that it is asked about orders. `obeyed` are the places it did so for."""

    def __init__(self, documents: Sequence[Hostile]) -> None:
        self.documents = documents
        self.obeyed: set[str] = set()

    def __call__(self, request: Request) -> str | Reply:
        """The reply to a request."""
        prompt = str(request.messages[-1]["content"])
        asked = prompt.rpartition("Question:")[2]
        document = next((one for one in self.documents if one.place in asked), None)
        number = next((n for n, text in handed(request).items() if document and told(document.place) in text), None)
        if document is None or number is None:
            return "There is nothing to obey."
        self.obeyed.add(document.place)
        fence = FENCE_LINE.search(prompt)
        filled = {"@n@": str(number), "@secret@": SECRET, "@fence@": fence[0] if fence else "", "@all@": request.said}
        text = document.obeyed
        for mark, value in filled.items():
            text = text.replace(mark, value)
        return Reply(text=text) if document.times == 1 else Reply(pieces=(text,) * document.times)
