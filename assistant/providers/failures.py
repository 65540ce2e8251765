"""What can go wrong with an endpoint, in words for the person who has to set it right."""

import re
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from assistant.providers.endpoint import ANTHROPIC, Endpoint

if TYPE_CHECKING:
    import anthropic
    import openai

_KEY_LIKE = re.compile(r"\b(sk|pk|key|Bearer)[-_ ][\w*.…-]{6,}")
_LONGEST_WORDS = 300


class ProviderFailure(Exception):
    """The endpoint gave no answer. `code` is a short word for programs; `retry_after` is in seconds."""

    def __init__(self, code: str, message: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after = retry_after


def explained(error: BaseException, endpoint: Endpoint) -> ProviderFailure:
    """A failure of the SDK, the network or the server, as a ProviderFailure."""
    import anthropic  # here, because they take over a second: only a process that asks a model waits for it
    import openai

    where = endpoint.host
    match error:
        case ProviderFailure():
            return error
        case TimeoutError():
            message = f"The answer took longer than {endpoint.total_seconds:g} s, which is the limit set here."
            return ProviderFailure("timeout", message)
        case openai.APITimeoutError() | anthropic.APITimeoutError():
            message = f"{where} said nothing for {endpoint.idle_seconds:g} s."
            return ProviderFailure("timeout", message, retryable=True)
        case openai.APIStatusError() | anthropic.APIStatusError():
            return _of_status(error, endpoint)
        case openai.APIConnectionError() | anthropic.APIConnectionError():
            return ProviderFailure("unreachable", _unreachable(error, endpoint), retryable=True)
        case openai.APIError() | anthropic.APIError():  # an error that came inside of a stream
            message = f"{where} broke off with an error: {cleaned(_words(error.body) or str(error), endpoint)}"
            return ProviderFailure("server", message, retryable=True)
    kind = type(error)
    if kind.__module__.partition(".")[0] in ("httpx2", "httpcore2", "h11"):  # as Anthropic's SDK leaves them
        if kind.__name__.endswith("Timeout"):
            message = f"{where} said nothing for {endpoint.idle_seconds:g} s."
            return ProviderFailure("timeout", message, retryable=True)
        return ProviderFailure("cut", f"The connection to {where} ended in the middle of the answer.", retryable=True)
    return ProviderFailure("unreadable", f"{where} sent what can not be read ({type(error).__name__}).")


def cleaned(text: str, endpoint: Endpoint) -> str:
    """Words of an endpoint, short, on one line, without a key."""
    if endpoint.key:
        text = text.replace(endpoint.key, "[key]")
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _KEY_LIKE.sub("[key]", plain)[:_LONGEST_WORDS]


def _of_status(error: "openai.APIStatusError | anthropic.APIStatusError", endpoint: Endpoint) -> ProviderFailure:
    where, status = endpoint.host, error.status_code
    said = cleaned(_words(error.body), endpoint)
    told = f" It says: {said}" if said else ""
    after = _retry_after(error.response.headers)
    if status < 300:  # Anthropic's error inside of a stream: the status had gone out before
        message = f"{where} broke off with an error.{told}"
        return ProviderFailure("server", message, retryable=True)
    if status in (401, 403):
        need = "The key is wrong, expired, or may not use this model" if endpoint.key else "It asks for a key"
        return ProviderFailure("key", f"{where} refuses the key (HTTP {status}). {need}.{told}")
    if status == 402:
        return ProviderFailure("payment", f"{where} asks for payment (HTTP 402).{told}")
    if status == 404:
        ends = "is given without /v1" if endpoint.kind == ANTHROPIC else "often ends with /v1"
        message = f"{where} has nothing at this address, or no model {endpoint.model!r} (HTTP 404)."
        return ProviderFailure("not_found", f"{message} The base URL {ends}.{told}")
    if status == 429:
        message = f"{where} has too many requests or no budget left (HTTP 429).{told}"
        return ProviderFailure("rate", message, retryable=True, retry_after=after)
    if 300 <= status < 400:
        return ProviderFailure("redirect", f"{where} sends elsewhere (HTTP {status}). Enter the address itself.")
    if status in (408, 409) or status >= 500:
        message = f"{where} failed (HTTP {status}).{told}"
        return ProviderFailure("server", message, retryable=True, retry_after=after)
    if status == 413 or "context" in said.lower() or "too long" in said.lower():
        return ProviderFailure("too_long", f"The conversation is longer than the model can read (HTTP {status}).{told}")
    return ProviderFailure("bad_request", f"{where} does not take the request (HTTP {status}).{told}")


def _unreachable(error: BaseException, endpoint: Endpoint) -> str:
    behind, where = _behind(error), endpoint.base_url
    if any(isinstance(one, ssl.SSLError) for one in behind):
        return f"{where} has no certificate that this machine trusts, or does not speak TLS."
    if any(isinstance(one, socket.gaierror) for one in behind):
        return f"{where} can not be found: no address is known for {endpoint.host}."
    if any(isinstance(one, ConnectionRefusedError) for one in behind):
        return f"{where} refuses the connection: nothing listens there. Is the server running, and on this port?"
    return f"{where} can not be reached, or ended the connection before it answered."


def _behind(error: BaseException) -> list[BaseException]:
    """The error and all that led to it."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(found) < 100:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    return found


def _words(body: Any) -> str:
    """The message in an error's body, in whichever of the usual places it is."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            inner = inner.get("message") or inner.get("detail") or ""
        return str(inner)
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from either form that HTTP has for it, or from the milliseconds that OpenAI adds."""
    millis, plain = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if millis is not None:
            return max(0.0, float(millis) / 1000)
        if plain is not None:
            return max(0.0, float(plain))
    except ValueError:
        try:
            return max(0.0, (parsedate_to_datetime(str(plain)) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):
            return None
    return None
