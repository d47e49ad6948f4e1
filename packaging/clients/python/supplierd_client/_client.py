"""What the methods of SupplierApi are made of."""

import base64
import hashlib
import hmac
import json
import time
import uuid
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import Any, Callable, Iterator, Mapping, NamedTuple
from urllib.parse import quote, urlencode
from urllib.request import HTTPErrorProcessor, Request, build_opener


class ApiError(Exception):
    """The API refused a request. Each `code` has a class of its own, such as NotFoundError."""

    def __init__(self, status: int, code: str, message: str, details: list[dict[str, Any]], request_id: str,
                 retry_after: float | None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds to wait, where the server names them."""

    def has(self, code: str) -> bool:
        """Whether one of the details has this code, such as `too_old`."""
        return any(detail.get("code") == code for detail in self.details)


class NoAnswerError(Exception):
    """No answer came. A write without an idempotency key may have been done all the same."""


class SignatureError(Exception):
    pass


@dataclass
class Answer:
    status: int
    headers: Message
    data: Any
    """What is in the envelope; the text of a file; None when nothing has changed (304)."""


class Operation(NamedTuple):
    method: str
    path: str
    headers: tuple[str, ...]
    types: tuple[str, ...]


class _AsItComes(HTTPErrorProcessor):
    """Refusals are answers too, and a redirect would take the key along to somebody else."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


_OPENER = build_opener(_AsItComes)


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Client:
    _errors: Mapping[str, type[ApiError]] = {}

    def __init__(self, url: str, key: str, *, attempts: int = 5, max_wait: float = 60, timeout: float = 60,
                 on_warning: Callable[[dict[str, Any]], None] | None = None) -> None:
        """`url` with `/api/v1/supplier`.

        attempts: how often a request is sent at most.
        max_wait: for how many seconds a call waits at most, over all its attempts, before it raises the refusal.
        timeout: seconds for one attempt.
        on_warning: is called for what the API ignored, such as a field that nobody knows.
        """
        self._url = url.rstrip("/")
        self._key = key
        self._attempts = attempts
        self._max_wait = max_wait
        self._timeout = timeout
        self._on_warning = on_warning or (lambda warning: None)

    def request(self, method: str, path: str, *, query: Mapping[str, Any] | None = None,
                headers: Mapping[str, str] | None = None, body: Any = None) -> Answer:
        """For what the methods do not show: headers of the answer, and 304. Repeats what is safe to repeat.

        The body is sent as JSON, or, if the headers name a Content-Type, as it is.
        """
        given = {name: _text_of(value) for name, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urlencode(given) if given else "")
        sent = {"Authorization": f"Bearer {self._key}", **(headers or {})}
        if body is not None and "Content-Type" not in sent:
            sent["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        elif body is None and method != "GET":
            body = b""  # with a Content-Length
        has_key = "Idempotency-Key" in sent
        is_safe = method == "GET" or has_key
        left = self._max_wait
        attempt = 0
        while True:
            attempt += 1
            problem: ApiError | NoAnswerError
            try:
                status, fields, text = self._send(Request(url, data=body, headers=sent, method=method))
            except (OSError, HTTPException) as cause:
                problem = NoAnswerError(f"{method} {url}: {cause}")
                problem.__cause__ = cause
                wait, is_repeatable = None, is_safe
            else:
                if status < 300 or status == 304:
                    return self._answer_of(status, fields, text)
                problem = self._refusal_of(status, fields, text)
                wait = problem.retry_after
                is_repeatable = status == 429 or (is_safe and status == 503) or (has_key and status == 409)
            wait = wait or attempt
            if not is_repeatable or attempt >= self._attempts or wait > left:
                raise problem
            left -= wait
            time.sleep(wait)

    def _call(self, operation: Operation, given: tuple[Any, ...], body: Any = None, options: Mapping[str, Any] = {}) -> Any:
        """`given` are values of the path, in its order. `options` are of the query, or name headers: `if_match`."""
        query = dict(options)
        headers = {}
        for header in operation.headers:
            value = query.pop(header.lower().replace("-", "_"), None)
            if value is not None:
                headers[header] = value
        if "Idempotency-Key" in operation.headers:
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        if operation.types and "application/json" not in operation.types:
            headers["Content-Type"] = query.pop("content_type", None) or operation.types[0]
        path = operation.path
        for value in given:
            start, end = path.index("{"), path.index("}")
            path = path[:start] + quote(str(value), safe="") + path[end + 1:]
        return self.request(operation.method, path, query=query, headers=headers, body=body).data

    def _iterate(self, operation: Operation, given: tuple[Any, ...], name: str, options: Mapping[str, Any]) -> Iterator[Any]:
        cursor = None
        while True:
            page = self._call(operation, given, None, {**options, "cursor": cursor})
            yield from page[name]
            cursor = page["pagination"].get("next_cursor")
            if not cursor:
                return

    def _changes(self, operation: Operation, given: tuple[Any, ...], options: Mapping[str, Any]) -> Iterator[Any]:
        after = options["changed_after"]
        while True:
            page = self._call(operation, given, None, {**options, "changed_after": after})
            yield page
            after = page["pagination"]["last_change_seq"]
            if not page["pagination"]["has_more"]:
                return

    def _send(self, request: Request) -> tuple[int, Message, bytes]:
        with _OPENER.open(request, timeout=self._timeout) as response:
            return response.status, response.headers, response.read()

    def _answer_of(self, status: int, headers: Message, body: bytes) -> Answer:
        if headers.get_content_type() != "application/json":
            return Answer(status, headers, None if status == 304 else body.decode("utf-8-sig"))
        envelope = json.loads(body)
        for warning in envelope.get("warnings", []):
            self._on_warning(warning)
        return Answer(status, headers, envelope["data"])

    def _refusal_of(self, status: int, headers: Message, body: bytes) -> ApiError:
        try:
            error = json.loads(body).get("error", {})
        except (ValueError, AttributeError):
            error = {}  # a proxy's page
        wait = headers.get("Retry-After", "")
        code = error.get("code", "UNKNOWN")
        make = self._errors.get(code, ApiError)
        return make(status, code, error.get("message", ""), error.get("details", []),
                    error.get("request_id") or headers.get("X-Request-Id", ""), float(wait) if wait.isdigit() else None)


def verify_signature(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Any:
    fields = {name.lower(): value for name, value in headers.items()}
    timestamp = fields.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise SignatureError("The webhook is older than five minutes.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{fields.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = fields.get("webhook-signature", "").encode().split(b" ")
    if not any([hmac.compare_digest(expected, given) for given in signatures]):
        raise SignatureError("No signature of the webhook is by this secret.")
    return json.loads(body)
