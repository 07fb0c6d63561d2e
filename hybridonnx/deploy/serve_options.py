"""What a server takes, and how it puts requests together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import MXNetError

__all__ = ["Batches", "Limits"]

BATCH = 32
"""The most rows that requests are put together to unless the caller says."""


@dataclass(frozen=True)
class Limits:
    """What a server takes at most; what is more is refused with a status of HTTP, and costs it nothing."""

    request_bytes: int = 1 << 26
    """The bytes of a request."""
    json_bytes: int = 1 << 23
    """The bytes of the JSON of a request; larger arrays come as binary data, which is a fifth as
    long and read at once."""
    all_bytes: int = 1 << 28
    """The bytes of all requests that are in work."""
    requests: int = 256
    """How many requests are in work at once."""
    rows: int = 1024
    """The rows of a request."""
    size: int = 8192
    """Each other free size of an input."""
    seconds: float = 30.0
    """How long a request may take to arrive."""

    def require(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            MXNetError: If a limit lets nothing through.
        """
        for name, value in vars(self).items():
            if not value > 0:
                raise MXNetError(f"serve: {name} greater than 0 is required, got {value}.")


@dataclass(frozen=True)
class Batches:
    """How requests are put together to batches."""

    most: int | None = None
    """The most rows; 0 puts none together. Unless given it is 32 if the model is found to treat rows one by
    one, else 0."""
    delay: float = 0.0
    """The longest time, in seconds, that a request waits for others while the model is free."""
    instances: int = 1
    """How many batches run at once."""
    sizes: Mapping[str, int] | None = None
    """What free sizes are taken for where the model is tried, by name."""

    def require(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            MXNetError: If a number is out of its range.
        """
        if (self.most is not None and self.most < 0) or self.delay < 0 or self.instances < 1:
            raise MXNetError(
                "serve: batch and delay from 0 on, and instances from 1 on, are required, got "
                f"{self.most}, {self.delay} and {self.instances}."
            )
