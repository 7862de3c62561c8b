"""One request after another to an endpoint, with patience where it asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from eatlas.errors import SourceError

TRIES = 6
FIRST_WAIT = 0.5
"""Seconds before the second try; twice as long before each further one, without Retry-After."""
LONGEST_WAIT = 120.0
"""Seconds; an endpoint that asks for more is not waited for."""
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_SHOWN = 300


def post(
    address: str,
    body: dict[str, Any],
    key: str | None,
    timeout: float,
    wait: Callable[[float], None] = time.sleep,
) -> Any:
    """Send a request until it is answered, and return what the JSON of the answer holds.

    Parameters
    ----------
    address : str
    body : dict
    key : str or None
        Sent as ``Authorization: Bearer ...``, and never shown.
    timeout : float
        Seconds to wait for a connection, and then between two parts of the answer.
    wait : callable
        Called with seconds before another try.

    Raises
    ------
    SourceError
        If there is no answer after several tries, or one that says no.
    """
    pause, reason = FIRST_WAIT, ""
    for left in reversed(range(TRIES)):
        answer, reason = _tried(address, body, key, timeout)
        if answer is not None and answer.status_code not in _AGAIN:
            return _read(address, answer, body, key)
        asked = None if answer is None else _asked_to_wait(answer)
        if not left or (asked or 0.0) > LONGEST_WAIT:
            break
        wait(pause if asked is None else asked)
        pause *= 2
    raise SourceError(
        f"{address}: the endpoint gave no vectors after several tries",
        got=_without(reason, key),
        remedy="try again later; what has been encoded is kept, and the same command goes on",
    )


def _tried(address: str, body: dict[str, Any], key: str | None, timeout: float) -> tuple[Any, str]:
    """The answer, or None, and what is wrong with it."""
    import requests  # noqa: PLC0415  (only where an endpoint is asked)

    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    try:
        answer = requests.post(
            address, json=body, headers=headers, timeout=timeout, allow_redirects=False
        )
    except (requests.ConnectionError, requests.Timeout) as error:
        return None, f"{type(error).__name__}: {error}"[:_SHOWN]
    except (requests.RequestException, ValueError) as error:
        raise SourceError(
            f"{address}: the request cannot be sent", got=_without(str(error)[:_SHOWN], key)
        ) from error
    return answer, f"status {answer.status_code}: {_message(answer)}"


def _read(address: str, answer: Any, body: dict[str, Any], key: str | None) -> Any:
    status = answer.status_code
    if status == 200:
        try:
            return answer.json()
        except ValueError as error:
            raise SourceError(
                f"{address}: the answer is no JSON",
                got=_without(answer.text[:80], key),
                allowed="an endpoint that speaks like OpenAI's: POST .../v1/embeddings",
            ) from error
    got = _without(f"status {status}: {_message(answer)}", key)
    if status in {401, 403}:
        raise SourceError(
            f"{address}: the endpoint does not let us in",
            got=f"{got} ({'with' if key else 'without'} a key)",
            remedy="set EATLAS_API_KEY or OPENAI_API_KEY to a key for this endpoint",
        )
    if status == 404:
        raise SourceError(
            f"{address}: there is no such endpoint, or it does not know the model",
            got=got,
            allowed=f"an address such as https://HOST/v1/embeddings, and a model that is there; "
            f"asked for: {body['model']}",
        )
    if 300 <= status < 400:
        raise SourceError(
            f"{address}: the endpoint is elsewhere",
            got=_without(f"status {status}, to {answer.headers.get('Location')}", key),
            remedy="name that address, if you trust it with your texts and your key",
        )
    raise SourceError(
        f"{address}: the endpoint refuses the request",
        got=got,
        remedy=f"check the model's name ({body['model']}) and the options",
    )


def _asked_to_wait(answer: Any) -> float | None:
    """Seconds that Retry-After names; it may also hold a date."""
    text = str(answer.headers.get("Retry-After", "")).strip()
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


def _message(answer: Any) -> str:
    """What the endpoint says, from the places where such endpoints say it."""
    try:
        said = answer.json()
    except ValueError:
        return str(answer.text[:_SHOWN])
    error = said.get("error", said) if isinstance(said, dict) else said
    message = error.get("message", error) if isinstance(error, dict) else error
    return str(message)[:_SHOWN]


def _without(text: str, key: str | None) -> str:
    """A text without the key, which some endpoints repeat in their messages."""
    return text.replace(key, "***") if key else text
