"""Providers over the API: keys that never come back, who may change what, the doctor, what is written down."""

import json
import subprocess
import sys
from decimal import Decimal

import pytest
from django.test import Client
from model_server import OpenAi, refused, streamed

from assistant.asking import ask_provider
from assistant.cost import cost_of
from assistant.models import Provider, ProviderCall
from assistant.providers import Ask, ProviderFailure, Turn, Usage, Waits
from assistant.sealing import Unreadable, seal, unseal
from assistant.sending import check_may_send
from graphs.models import Task
from graphs.refused import Refused
from submissions.actions.accounts import Role
from submissions.models import AuditEntry
from tests.accounts import account

KEY = "sk-live-9f8a7b6c5d4e3f2a"
PATH = "/api/assistant/providers"
MINE = {"name": "Mine", "kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "small-model", "key": KEY}


@pytest.fixture(autouse=True)
def _own_redis(own_redis):
    """No test here may reach a Redis that is not its own."""


@pytest.fixture
def admin(db, quick_passwords):
    browser = Client()
    browser.force_login(account("root", Role.ADMIN).user)
    return browser


def send(browser, method, path, body=None):
    return browser.generic(method, path, json.dumps(body or {}), content_type="application/json")


def add(browser, **more):
    return send(browser, "POST", PATH, {**MINE, **more})


def test_a_key_is_stored_encrypted_and_never_shown_again(client):
    reply = add(client)
    assert reply.status_code == 201, reply.content
    shown = reply.json()
    assert shown["has_key"] is True and "key" not in shown
    provider = Provider.objects.get()
    assert KEY not in provider.sealed_key and unseal(provider.sealed_key) == KEY
    everything = client.get(PATH).content + json.dumps(list(AuditEntry.objects.values("details", "subject"))).encode()
    assert KEY.encode() not in everything and provider.sealed_key.encode() not in everything


def test_another_secret_can_not_read_it(settings):
    sealed = seal(KEY)
    assert seal(KEY) != sealed  # two equal keys do not show that they are
    settings.SECRET_KEY = "another secret of this site"
    with pytest.raises(Unreadable):
        unseal(sealed)
    assert unseal(seal("")) == ""


def test_a_changed_secret_is_said_by_the_doctor(client, settings):
    number = add(client).json()["id"]
    Provider.objects.update(sealed_key="gAAAAAB-not-ours")
    (check,) = send(client, "POST", f"{PATH}/{number}/check").json()["checks"]
    assert (check["name"], check["ok"]) == ("key", False) and "Enter the key again" in check["message"]


def test_the_key_does_not_follow_a_new_address(client):
    number = add(client).json()["id"]
    moved = send(client, "PATCH", f"{PATH}/{number}", {"base_url": "http://127.0.0.1:2/v1"})
    assert (moved.status_code, moved.json()["code"]) == (400, "key_needed")
    assert Provider.objects.get().base_url == MINE["base_url"]
    moved = send(client, "PATCH", f"{PATH}/{number}", {"base_url": "http://127.0.0.1:2/v1", "key": "other"})
    assert moved.status_code == 200 and unseal(Provider.objects.get().sealed_key) == "other"
    assert send(client, "PATCH", f"{PATH}/{number}", {"model": "larger"}).json()["has_key"] is True
    assert send(client, "PATCH", f"{PATH}/{number}", {"key": ""}).json()["has_key"] is False
    assert send(client, "PATCH", f"{PATH}/{number}", {"model": None}).status_code == 400


def test_somebody_else_s_provider_does_not_exist(client, db, quick_passwords):
    number = add(client).json()["id"]
    other = Client()
    other.force_login(account("eve").user)
    assert other.get(PATH).json()["providers"] == []
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/check")):
        assert send(other, method, f"{PATH}/{number}{path}").status_code == 404
    assert Client().get(PATH).status_code == 401


def test_the_site_s_providers_are_for_everybody_and_changed_by_admins(client, admin):
    assert add(client, site=True).status_code == 403
    number = add(admin, site=True, name="House").json()["id"]
    (seen,) = client.get(PATH).json()["providers"]
    assert (seen["name"], seen["site"], seen["may_change"]) == ("House", True, False)
    assert send(client, "PATCH", f"{PATH}/{number}", {"model": "x"}).status_code == 403
    assert send(client, "DELETE", f"{PATH}/{number}").status_code == 403
    assert add(admin, site=True, name="House").status_code == 409
    assert send(admin, "DELETE", f"{PATH}/{number}").status_code == 204
    assert Provider.objects.count() == 0


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a.example/v1",
        "a.example",
        "https://user:pw@a.example",
        "https://a.example/?key=1",
        "https://a.example:x/",
    ],
)
def test_addresses_that_can_not_be_asked(client, address):
    reply = add(client, base_url=address)
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_address")


def test_on_a_shared_site_users_can_not_have_the_server_ask_any_host(client, admin, settings):
    settings.ONLY_THIS_MACHINE = False
    reply = add(client, base_url="http://169.254.169.254/v1")
    assert reply.status_code == 400 and "169.254.169.254" in reply.json()["error"]
    assert add(client, base_url="https://api.openai.com/v1", name="Public").status_code == 201
    assert add(admin, base_url="http://10.0.0.7:8000/v1").status_code == 201


def test_behind_a_proxy_this_machine_has_other_users(client, settings):
    settings.ONLY_THIS_MACHINE, settings.PROXIES = True, 1
    assert add(client, base_url="http://169.254.169.254/v1").status_code == 400
    settings.PROXIES = 0
    assert add(client, base_url="http://169.254.169.254/v1").status_code == 201


def test_nothing_is_sent_for_a_closed_account(author):
    author.user.is_active = False
    with pytest.raises(Refused, match="not active"):
        check_may_send(author, Task(), "127.0.0.1")


def test_a_provider_that_is_removed_while_it_answers(client, author, server):
    add(client, base_url=f"{server.address}/v1")
    provider = Provider.objects.get()
    server.replies = [streamed([*OpenAi.texts("ready"), *OpenAi.end()])]
    for _ in ask_provider(author, provider, Ask([{"role": "user", "content": "x"}]), "chat"):
        Provider.objects.all().delete()
    assert ProviderCall.objects.get().provider is None


def test_a_right_that_was_taken_away_ends_the_asking(client, author, settings):
    add(client)
    settings.ONLY_THIS_MACHINE = False
    with pytest.raises(ProviderFailure, match="does not ask"):
        list(ask_provider(author, Provider.objects.get(), Ask([]), "chat"))


def checks(browser, **more):
    number = add(browser, **more).json()["id"]
    found = send(browser, "POST", f"{PATH}/{number}/check").json()["checks"]
    return {check["name"]: (check["ok"], check["message"]) for check in found}


def test_the_doctor_is_content(client, server):
    said = streamed([*OpenAi.texts("ready"), *OpenAi.end()])
    called = streamed([*OpenAi.call(0, "a", "report", '{"word": "ready"}'), *OpenAi.end("tools")])
    server.replies = [said, called]
    found = checks(client, base_url=f"{server.address}/v1", price_input=2, price_output=10)
    assert {name: ok for name, (ok, _) in found.items()} == {
        "address": True, "connection": True, "answer": True, "usage": True, "tools": True
    }  # fmt: skip
    assert "11 tokens in, 7 out" in found["usage"][1] and "report" in found["tools"][1]
    used = client.get("/api/assistant/usage").json()["used"]
    # (11 × 2 + 7 × 10) / 1,000,000, twice
    assert [(row["calls"], row["input_tokens"], row["cost"]) for row in used] == [(2, 22, "0.000184")]


def test_the_doctor_says_what_is_wrong(client, server):
    found = checks(client)
    assert found["connection"][0] is False and "nothing listens there" in found["connection"][1]
    server.models = ["a", "b"]
    server.replies = [refused(401, f"Incorrect API key provided: {KEY}")]
    found = checks(client, name="Other", base_url=f"{server.address}/v1")
    assert found["connection"] == (None, "It answers; 'small-model' is not among its models: a, b.")
    assert found["answer"][0] is False and "refuses the key" in found["answer"][1] and KEY not in found["answer"][1]
    server.replies = [streamed([*OpenAi.texts("ready"), *OpenAi.end(tokens=None)])]
    found = checks(client, name="Third", base_url=f"{server.address}/v1")
    assert found["usage"][0] is None and found["tools"][0] is None and "did not call the tool" in found["tools"][1]


def test_every_call_is_written_down(client, author, server):
    add(client, base_url=f"{server.address}/v1")
    provider = Provider.objects.get()
    server.replies = [streamed([*OpenAi.texts("ready"), *OpenAi.end()]), refused(404, "no such model")]
    told = []
    *_, turn = ask_provider(author, provider, Ask([{"role": "user", "content": "x"}]), "chat", accounted=told.append)
    assert isinstance(turn, Turn) and told == [ProviderCall.objects.get()]
    with pytest.raises(ProviderFailure):
        list(ask_provider(author, provider, Ask([{"role": "user", "content": "x"}]), "chat"))
    rows = ProviderCall.objects.order_by("id").values_list("stop", "failure", "input_tokens", "cost", "host")
    assert list(rows) == [("end", "", 11, None, "127.0.0.1"), ("failed", "not_found", 0, None, "127.0.0.1")]
    provider.delete()
    assert ProviderCall.objects.count() == 2


def test_a_provider_s_own_rate_is_kept(client, author, server):
    add(client, base_url=f"{server.address}/v1", requests_per_minute=60)  # one a second after a burst of 60
    provider = Provider.objects.get()
    Provider.objects.update(requests_per_minute=1)
    provider.refresh_from_db()
    server.replies = [streamed([*OpenAi.texts("ready"), *OpenAi.end()])]
    question = Ask([{"role": "user", "content": "x"}])
    list(ask_provider(author, provider, question, "chat"))
    pieces = []
    for piece in ask_provider(author, provider, question, "chat", lambda: bool(pieces)):
        pieces.append(piece)
    assert isinstance(pieces[0], Waits) and "1 requests a minute" in pieces[0].why
    assert pieces[-1].stop == "cancelled" and len(server.asked) == 1


def test_costs():
    usage = Usage(input=1000, output=500, cached=400, written=100)
    prices = {"price_input": Decimal(3), "price_output": Decimal(15)}
    # 500 fresh + 400 cached + 100 written, all at 3: 0.003; 500 at 15: 0.0075
    assert cost_of(usage, Provider(**prices)) == Decimal("0.010500")
    dear = Provider(**prices, price_cached=Decimal("0.3"), price_written=Decimal("3.75"))
    # 500 × 3 + 400 × 0.3 + 100 × 3.75 + 500 × 15 = 1500 + 120 + 375 + 7500
    assert cost_of(usage, dear) == Decimal("0.009495")
    assert cost_of(usage, Provider(price_input=Decimal(3))) is None


def test_the_sdks_are_loaded_by_who_asks_only_and_see_no_environment():
    code = (
        "import os, sys; os.environ.update(OPENAI_API_KEY='a', ANTHROPIC_AUTH_TOKEN='b', OPENAI_ORG_ID='c');"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'passnet_web.settings'; import passnet_web.asgi;"
        "assert not {'openai', 'anthropic', 'torch'} & set(sys.modules);"
        "assert not [n for n in os.environ if n.startswith(('OPENAI_', 'ANTHROPIC_'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
