"""Exceptions: one tree, whose members say what is wrong, with what, and what may have been meant."""

from __future__ import annotations


class CoverdexError(Exception):
    """Whatever Coverdex raises.

    ``kind`` is the stable name of what went wrong, ``subject`` the thing that it is about, ``message`` what
    is wrong with it, ``hint`` the way out where there is one to name, and ``candidates`` what may have been
    meant, best first.
    """

    kind: str
    subject: str
    message: str
    hint: str | None
    candidates: tuple[str, ...]

    def __init__(
        self,
        kind: str,
        subject: str,
        message: str,
        hint: str | None = None,
        candidates: tuple[str, ...] = (),
    ) -> None:
        """Keep what the error says, field by field."""
        super().__init__(kind, subject, message, hint, candidates)
        self.kind = kind
        self.subject = subject
        self.message = message
        self.hint = hint
        self.candidates = tuple(candidates)

    def __str__(self) -> str:
        """Say it in words: what is wrong, what may have been meant, the way out."""
        text = f"{self.subject}: {self.message}"
        if self.candidates:
            text += "\n  did you mean:" + "".join(f"\n    {candidate}" for candidate in self.candidates)
        if self.hint:
            text += f"\n  hint: {self.hint}"
        return text

    def to_dict(self) -> dict[str, object]:
        """The error as the command prints it with ``--json``, inside ``{"error": …}``."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "message": self.message,
            "hint": self.hint,
            "candidates": list(self.candidates),
        }


class InvalidInput(CoverdexError, ValueError):
    """What was given can be no plan, code, date or place."""


class NotFound(CoverdexError, LookupError):
    """What was asked for is not in the dataset."""


class Ambiguous(CoverdexError, LookupError):
    """Several things fit what was asked for: ``candidates`` names them."""


class DatasetError(CoverdexError):
    """The dataset cannot answer."""

    @property
    def file(self) -> str:
        """The file or folder that it is about."""
        return self.subject


class DatasetMissing(DatasetError):
    """No dataset is there."""


class DatasetDamaged(DatasetError):
    """A file of the dataset is not what the builder wrote."""


class DatasetTooNew(DatasetError):
    """The dataset is of a format that this version does not read."""


class Refused(DatasetError):
    """A publication that must not be taken: its bytes may be whole."""


class IoError(DatasetError):
    """The operating system refused: the dataset itself may be well."""


class Interrupted(CoverdexError):
    """The call was cancelled."""


class SyncError(CoverdexError):
    """A payer could not be read."""
