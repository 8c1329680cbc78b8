"""How many requests may be made: a budget that no retry and no second measure can exceed."""

from __future__ import annotations

from threading import Lock

from biascheck.errors import EndpointError, UsageError

__all__ = ["Allowance"]


class Allowance:
    """Counts requests, and refuses the one that is too many. Every attempt counts, since a server may bill each."""

    def __init__(self, most: int | None = None) -> None:
        if most is not None and most < 1:
            raise UsageError(f"a budget of {most} requests allows none; give 1 or more, or leave it out")
        self.most = most
        self.made = 0
        self._lock = Lock()

    def spend(self) -> None:
        """Count one request."""
        with self._lock:
            if self.most is not None and self.made >= self.most:
                raise EndpointError(
                    f"the budget of {self.most:,} requests is spent. Every answer so far is kept: run again with "
                    "another budget (--bias-max-requests), and only what is missing is asked"
                )
            self.made += 1

    def require(self, requests: int, what: str) -> None:
        """Refuse work that cannot be finished before anything is spent on it."""
        if self.most is not None and self.made + requests > self.most:
            raise EndpointError(
                f"{what} needs {requests:,} requests, and {self.most - self.made:,} of the budget of {self.most:,} "
                "are left; nothing was asked. Raise --bias-max-requests, or measure a smaller corpus"
            )
