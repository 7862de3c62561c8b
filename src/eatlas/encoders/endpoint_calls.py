"""One request after another to an endpoint, with patience where it asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from eatlas.encoders.exchange import (
    Answer,
    BrokenError,
    LateError,
    UnusableError,
    exchange,
)
from eatlas.encoders.secret import Secret
from eatlas.errors import SourceError

TRIES = 6
LATE_TRIES = 2
"""Tries where no answer comes in time: each takes all of the time."""
FIRST_WAIT = 0.5
"""Seconds before the second try; twice as long before each further one, without Retry-After."""
LONGEST_WAIT = 120.0
"""Seconds; an endpoint that asks for more is not waited for."""
LEAST_LIMIT, LIMIT_EACH = 16 << 20, 512 << 10
"""Bytes of an answer: at least, and for each text; 20,000 components take 500 kB."""
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_SHOWN = 300


def post(
    address: str,
    body: Mapping[str, Any],
    secret: Secret,
    timeout: float,
    wait: Callable[[float], None] = time.sleep,
) -> Any:
    """Send a request until it is answered, and return what the JSON of the answer holds.

    Parameters
    ----------
    address : str
    body : mapping
        With a list of texts as ``input``.
    secret : Secret
        Sent as ``Authorization: Bearer ...``, and never shown.
    timeout : float
        Seconds for a whole answer.
    wait : callable
        Called with seconds before another try.

    Raises
    ------
    SourceError
        If there is no answer after several tries, one that says no, or one without end.
    """
    calls = _Calls(address, body, secret, timeout)
    pause = FIRST_WAIT
    for left in reversed(range(TRIES)):
        answer = calls.tried()
        if answer is not None and answer.status not in _AGAIN:
            return calls.read(answer)
        asked = None if answer is None else _asked_to_wait(answer)
        if not left or calls.late >= LATE_TRIES or (asked or 0.0) > LONGEST_WAIT:
            break
        wait(pause if asked is None else asked)
        pause *= 2
    raise SourceError(
        f"{address}: the endpoint gave no vectors after several tries",
        got=calls.reason,
        remedy="try again later, or with timeout=SECONDS; what has been encoded is kept, and the "
        "same command goes on",
    )


class _Calls:
    """Tries of one request."""

    def __init__(
        self, address: str, body: Mapping[str, Any], secret: Secret, timeout: float
    ) -> None:
        self.address, self.body, self.secret, self.timeout = address, body, secret, timeout
        self.late = 0
        """Tries without an answer in time."""
        self.reason = ""
        """What is wrong with the last answer."""

    def tried(self) -> Answer | None:
        """The answer, or None where another try may bring one."""
        key = self.secret.value
        limit = max(LEAST_LIMIT, LIMIT_EACH * len(self.body["input"]))
        try:
            answer = exchange(
                self.address,
                self.body,
                {} if key is None else {"Authorization": f"Bearer {key}"},
                seconds=self.timeout,
                limit=limit,
            )
        except BrokenError as error:
            self.reason = self._brief(str(error))
        except LateError as error:
            self.late, self.reason = self.late + 1, str(error)
        except UnusableError as error:
            raise SourceError(
                f"{self.address}: there is no usable answer",
                got=self._brief(str(error)),
                allowed=f"up to {limit:,} bytes for {len(self.body['input'])} texts, not packed or "
                "packed with gzip",
            ) from error
        else:
            self.reason = f"status {answer.status}: {self._message(answer)}"
            return answer
        return None

    def read(self, answer: Answer) -> Any:
        """What an answer holds that is no reason to try again."""
        status, address = answer.status, self.address
        if status == 200:
            try:
                return answer.json()
            except ValueError as error:
                deep = ": nested too deeply" if "nested" in str(error) else ""
                raise SourceError(
                    f"{address}: the answer is no JSON{deep}",
                    got=self._brief(answer.text, 80),
                    allowed="an endpoint that speaks like OpenAI's: POST .../v1/embeddings",
                ) from error
        if status in {401, 403}:
            raise SourceError(
                f"{address}: the endpoint does not let us in",
                got=f"{self.reason} ({'with' if self.secret.value else 'without'} a key)",
                remedy="set EATLAS_API_KEY or OPENAI_API_KEY to a key for this endpoint",
            )
        if status == 404:
            raise SourceError(
                f"{address}: there is no such endpoint, or it does not know the model",
                got=self.reason,
                allowed="an address such as https://HOST/v1/embeddings, and a model that is there; "
                f"asked for: {self.body['model']}",
            )
        if 300 <= status < 400:
            to = {name.lower(): text for name, text in answer.headers.items()}.get("location")
            raise SourceError(
                f"{address}: the endpoint is elsewhere",
                got=self._brief(f"status {status}, to {to}"),
                remedy="name that address, if you trust it with your texts and your key",
            )
        raise SourceError(
            f"{address}: the endpoint refuses the request",
            got=self.reason,
            remedy=f"check the model's name ({self.body['model']}) and the options",
        )

    def _message(self, answer: Answer) -> str:
        """What the endpoint says, from the places where such endpoints say it."""
        try:
            said = answer.json()
        except ValueError:
            return self._brief(answer.text)
        error = said.get("error", said) if isinstance(said, dict) else said
        message = error.get("message", error) if isinstance(error, dict) else error
        try:
            return self._brief(str(message))
        except RecursionError:
            return "an answer that is nested too deeply"

    def _brief(self, text: str, most: int = _SHOWN) -> str:
        """The beginning of a text, hidden before it is cut: half a key is not known again."""
        return self.secret.hide(text[: 10 * _SHOWN])[:most]


def _asked_to_wait(answer: Answer) -> float | None:
    """Seconds that Retry-After names; it may also hold a date."""
    headers = {name.lower(): text for name, text in answer.headers.items()}
    text = str(headers.get("retry-after", "")).strip()
    if text.isascii() and text.isdigit():
        return float(text)
    if not text:
        return None
    from datetime import UTC, datetime  # noqa: PLC0415
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
