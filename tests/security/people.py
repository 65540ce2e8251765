"""Browsers that enforce what a real one meets, and accounts behind them."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.test import Client

from submissions.actions.accounts import Role
from submissions.models import Author
from tests.accounts import account

FILES = {"A.py": "secret = 'of ada'\n", "sorted_output_pass_rule_names.json": '["A"]'}
DRAFT = "/api/tasks/doubled-relu/draft"
RUNS = "/api/tasks/doubled-relu/runs"


def call(browser: Client, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
    """A request with a JSON body, and nothing that a page would add."""
    content = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    return browser.generic(method, path, **content, headers=headers)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@dataclass
class Person:
    """An account with a browser that asks for the token against forged requests, as a real one does."""

    author: Author
    browser: Client

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """A write as our own pages make it."""
        shown = {"X-CSRFToken": self.browser.cookies["csrftoken"].value, **headers}
        return call(self.browser, method, path, body, **shown)

    def post_form(self, path: str, **fields: str) -> HttpResponse:
        """A form of our own pages."""
        return self.browser.post(path, {**fields, "csrfmiddlewaretoken": self.browser.cookies["csrftoken"].value})


def enter(name: str, role: Role = Role.AUTHOR) -> Person:
    """A new account, logged in."""
    author = account(name, role)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(author.user)
    browser.get("/account/")  # any page sets the cookie
    return Person(author, browser)
