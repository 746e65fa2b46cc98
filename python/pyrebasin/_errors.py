"""The exceptions of this package."""

from __future__ import annotations


class Error(Exception):
    """What every error of this package derives from.

    Attributes
    ----------
    code : str
        The kind of error: ``"usage"``, ``"bad_input"``, ``"unsupported"``,
        ``"mismatch"``, ``"io"`` or ``"limit"``.
    hint : str
        What can be done about it; may be empty.
    """

    code: str = ""
    hint: str = ""

    def __init__(self, message: str, code: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code = code or type(self).code
        self.hint = hint

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message} ({self.hint})" if self.hint else message

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str]]:
        return type(self), (str(self.args[0]), self.code, self.hint)


class UsageError(Error, ValueError):
    """An argument or option without a valid meaning."""

    code = "usage"


class BadInputError(Error, ValueError):
    """A file or an array breaks the rules of its format."""

    code = "bad_input"


class UnsupportedError(Error, ValueError):
    """Valid input that the library cannot handle."""

    code = "unsupported"


class MismatchError(Error, ValueError):
    """Inputs that do not fit each other, or a proof that failed."""

    code = "mismatch"


class FileError(Error, OSError):
    """The operating system reported an error."""

    code = "io"


class LimitError(Error, ValueError):
    """Input that exceeds a documented limit."""

    code = "limit"


_CLASSES: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (
        UsageError,
        BadInputError,
        UnsupportedError,
        MismatchError,
        FileError,
        LimitError,
    )
}


def make_error(code: str, message: str, hint: str) -> BaseException:
    """Return the exception for an error of the library; it calls this."""
    if code == "stopped":
        return KeyboardInterrupt(message)
    return _CLASSES.get(code, Error)(message, code, hint)
