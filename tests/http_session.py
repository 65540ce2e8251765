"""A person with a browser's cookies, for tests that talk to a running workbench: standard library only."""

import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

PASSWORD = "four random words here"  # what a test's account chooses
FIRST_LOGIN = re.compile(r"Log in as (\S+) with the one-time password (\S+)")


def first_login(output: str) -> tuple[str, str]:
    """Name and one-time password from what the first start prints."""
    found = FIRST_LOGIN.search(output)
    assert found, output
    return found[1], found[2]


class HttpSession:
    """Cookies of one browser. `url` is the workbench's address without a slash at the end."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    @property
    def cookies(self) -> dict[str, str]:
        return {cookie.name: cookie.value or "" for cookie in self.jar}

    def get(self, path: str) -> str:
        with self._opener.open(self.url + path, timeout=20) as answer:
            return answer.read().decode()

    def post_form(self, path: str, **fields: str) -> str:
        """Sends a form with its token; returns the page that it leads to. Raises urllib.error.HTTPError."""
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": self.cookies.get("csrftoken", "")}).encode()
        with self._opener.open(urllib.request.Request(self.url + path, data), timeout=20) as answer:
            return answer.read().decode()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """A call of the JSON API, as a page makes it. Raises urllib.error.HTTPError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.cookies.get("csrftoken", "")}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with self._opener.open(request, timeout=20) as answer:
            return json.loads(answer.read())

    def log_in(self, name: str, password: str) -> None:
        """Logs in; with a one-time password, chooses PASSWORD on the page that follows."""
        self.get("/login/")
        page = self.post_form("/login/", username=name, password=password)
        if "one-time password" in page:
            self.post_form("/account/password/", current=password, new=PASSWORD, again=PASSWORD)
