"""What the one-machine stack refuses, each with a sentence that says what to do next."""

from sourcebook_core.errors import PermanentError


class StackError(PermanentError):
    """The stack cannot start or go on; `code` is stable, `message` ends with the next step."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
