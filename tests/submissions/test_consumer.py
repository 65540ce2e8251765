import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from passnet_web.asgi import application
from submissions.actions import runs
from submissions.actions.accounts import Role, do_reset_password
from submissions.events import append_events
from submissions.models import Run
from tests.accounts import account

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(author, task) -> Run:
    return runs.do_request_run(author, task, {"A.py": ""}, "cpu")


def socket(run: Run, client=None, origin: bytes = b"http://localhost") -> WebsocketCommunicator:
    headers = [(b"host", b"localhost"), (b"origin", origin)]
    if client is not None:
        headers.append((b"cookie", b"theme=dark; sessionid=" + client.cookies["sessionid"].value.encode()))
    return WebsocketCommunicator(application, f"/ws/runs/{run.pk}", headers=headers)


async def grow(run: Run) -> None:
    await sync_to_async(append_events)(run.pk, [("log", {})])


async def close_code(watching: WebsocketCommunicator) -> int:
    said = await watching.receive_output(5)
    while said["type"] == "websocket.accept":
        said = await watching.receive_output(5)
    assert said["type"] == "websocket.close"
    return said["code"]


async def test_news_at_connection_and_when_the_log_grows(run, client):
    watching = socket(run, client)
    assert (await watching.connect())[0]
    assert await watching.receive_json_from(5) == {"type": "news", "seq": 1, "state": "queued"}
    await sync_to_async(append_events)(run.pk, [("log", {}), ("log", {})])
    assert await watching.receive_json_from(5) == {"type": "news", "seq": 3, "state": "queued"}
    await watching.disconnect()


async def test_without_a_session_there_is_no_news(run):
    refused = socket(run)
    await refused.send_input({"type": "websocket.connect"})
    assert await close_code(refused) == 4401


async def test_another_author_s_run_is_like_none_at_all(run, client):
    other = await sync_to_async(account)("eve")
    await sync_to_async(client.force_login)(other.user)
    refused = socket(run, client)
    await refused.send_input({"type": "websocket.connect"})
    assert await close_code(refused) == 4404


async def test_a_reviewer_may_watch(run, client):
    other = await sync_to_async(account)("rea", Role.REVIEWER)
    await sync_to_async(client.force_login)(other.user)
    watching = socket(run, client)
    assert (await watching.connect())[0]
    assert (await watching.receive_json_from(5))["seq"] == 1
    await watching.disconnect()


async def test_after_a_logout_nothing_more_is_said(run, client):
    watching = socket(run, client)
    await watching.connect()
    await watching.receive_json_from(5)
    await sync_to_async(client.post)("/logout/")
    await grow(run)
    assert await close_code(watching) == 4401


async def test_a_ping_after_a_logout_is_not_answered(run, client):
    watching = socket(run, client)
    await watching.connect()
    await watching.receive_json_from(5)
    await sync_to_async(client.post)("/logout/")
    await watching.send_json_to({"type": "ping"})
    assert await close_code(watching) == 4401


async def test_a_new_password_ends_the_sockets_of_the_old_one(run, client, author):
    watching = socket(run, client)
    await watching.connect()
    await watching.receive_json_from(5)
    await sync_to_async(do_reset_password)(author.user)
    await grow(run)
    assert await close_code(watching) == 4401


async def test_a_right_that_was_taken_away_ends_the_socket(run, client):
    other = await sync_to_async(account)("rea", Role.REVIEWER)
    await sync_to_async(client.force_login)(other.user)
    watching = socket(run, client)
    await watching.connect()
    await watching.receive_json_from(5)
    await sync_to_async(other.user.groups.clear)()
    await grow(run)
    assert await close_code(watching) == 4404


@pytest.mark.parametrize(
    "origin",
    [b"http://evil.example", b"http://localhost:9", b"https://localhost:8443", b"null", b"", b"http://localhost.evil"],
)
async def test_pages_of_other_sites_get_no_socket(run, client, origin):
    watching = socket(run, client, origin)
    await watching.send_input({"type": "websocket.connect"})
    assert (await watching.receive_output(5))["type"] == "websocket.close"
