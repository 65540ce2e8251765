"""`manage.py up`: checks, migrates, loads the shipped tasks, starts everything and says where it is."""

import argparse
import contextlib
import functools
import io
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connections
from redis import Redis, RedisError

from evaluator.runner.client import DaemonClient
from passnet_web.addresses import is_loopback
from passnet_web.paths import UnsafeFolder, private_folder
from passnet_web.static_files import needs_collecting
from passnet_web.supervisor import checks, plan
from passnet_web.supervisor.checks import CannotStart
from passnet_web.supervisor.instance import lock_instance
from passnet_web.supervisor.run import Supervisor, http_answers, reachable
from submissions.actions.accounts import do_add_first_account
from submissions.actions.devices import do_report_device
from submissions.devices import device_names, socket_path
from submissions.judging import device_status
from submissions.models import Device

DAEMON_SECONDS = 20.0  # for its first answer, "warming"; torch is imported after that


class Command(BaseCommand):
    help = "Start the whole workbench on this machine: Redis, the evaluator, workers and the web server."
    requires_system_checks = []  # ours name the fix

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
        parser.add_argument("--port", type=port_number, default=8000, help="port to listen on (default: 8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        logs = settings.VAR / "log"
        supervisor = Supervisor(settings.BASE_DIR, logs)
        supervisor.catch_signals()
        try:
            lock = self._prepare(host, port, logs)
            with lock:
                try:
                    if self._start(supervisor, host, port):
                        self._say_ready(address(host, port))
                        self._load_captured(supervisor, host)
                        supervisor.keep_alive()
                finally:
                    supervisor.stop()
                    with contextlib.suppress(OSError):
                        settings.SOCKETS.rmdir()  # empty by now; it may lie outside var/
        except (CannotStart, UnsafeFolder) as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:  # no room in mid-work, a file of another user: the kernel's words and the way out
            raise CommandError(
                f"{problem}. Free some space or give {settings.VAR} and {settings.STATIC_ROOT} to this user, or choose "
                "other folders with PASSNET_VAR and STATIC_ROOT."
            ) from problem

    def _prepare(self, host: str, port: int, logs: Path) -> Any:
        """Everything that can fail with a message before a child is started. Returns the lock on var/."""
        try:
            logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotStart(
                f"{logs} can not be made ({error.strerror}). Set PASSNET_VAR to a folder that this user can write."
            ) from error
        checks.check_writable(settings.VAR)
        private_folder(settings.VAR)  # it holds what people handed in; a submission that runs here must not read it
        private_folder(settings.SOCKETS)
        lock = lock_instance(settings.VAR, address(host, port))
        checks.check_port(host, port)
        checks.check_disk(settings.VAR)
        checks.check_front_end(settings.FRONTEND_DIST)
        if device_names():
            checks.check_isolation(host, allowed=settings.MAY_JUDGE_UNISOLATED, say=self.stderr.write)
        if not is_loopback(host) and not settings.IS_CLUSTER:
            self.stderr.write(
                f"Listening on {host} without HTTPS: passwords can be read on the way. Put a proxy with HTTPS in front "
                "and set DEPLOYMENT=cluster; docs/security.md says how."
            )
        self._fill_database()
        if needs_collecting(settings.FRONTEND_DIST, settings.STATIC_ROOT):
            call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        return lock

    def _fill_database(self) -> None:
        try:
            call_command("migrate", interactive=False, verbosity=0)
            call_command("clearsessions")
            call_command("load_catalogue", stdout=io.StringIO(), stderr=self.stderr)
            call_command("load_examples", stdout=io.StringIO(), stderr=self.stderr)
            for device in device_names():
                do_report_device(device, "warming", "The evaluator is being started.")
        except DatabaseError as error:
            raise CannotStart(
                f"The database does not work: {error}. Check DATABASE_URL (or unset it to use SQLite in "
                f"{settings.VAR}), and that its disk has room."
            ) from error
        finally:
            connections.close_all()  # the children open their own

    def _start(self, supervisor: Supervisor, host: str, port: int) -> bool:
        """Starts the children, the web first: pages come up while the evaluator imports torch. False: stop again."""
        devices = device_names()
        environment = plan.child_environment(host, devices, settings.ALLOWED_HOSTS, settings.VAR)
        if settings.REDIS_IS_PRIVATE:
            spec = plan.redis_spec(checks.redis_server(), settings.PRIVATE_REDIS_SOCKET, settings.VAR)
            if not supervisor.wait_for(supervisor.start(spec), redis_answers):
                return False
        elif not redis_answers():
            where = without_password(settings.REDIS_URL)
            raise CannotStart(f"Redis does not answer at {where}. Start it, or unset REDIS_URL.")
        web = supervisor.start(plan.web_spec(host, port, environment))
        if not supervisor.wait_for(web, lambda: http_answers(host, port, settings.ALLOWED_HOSTS)):
            return self._too_slow(supervisor, "the web server")
        if settings.LANGUAGE_SOCKET:  # nobody waits for it: the editor says that completion is off until it answers
            supervisor.start(plan.languages_spec(Path(settings.LANGUAGE_SOCKET), environment))
        for device in devices:
            spec = plan.daemon_spec(device, socket_path(device), environment, settings.MATCH_SOCKET)
            daemon = supervisor.start(spec)
            try:
                answers = supervisor.wait_for(daemon, functools.partial(daemon_answers, device), DAEMON_SECONDS)
            except CannotStart as problem:  # pages, graphs and drafts work without it
                supervisor.say(str(problem))
                continue
            if not answers:
                self._too_slow(supervisor, f"the evaluator of {device}")
        workers = [(device, supervisor.start(plan.worker_spec(device, environment))) for device in devices]
        for device, worker in workers:
            if not supervisor.wait_for(worker, functools.partial(worker_answers, device)):
                self._too_slow(supervisor, f"the worker of {device}")
        return not supervisor.is_stopping

    def _load_captured(self, supervisor: Supervisor, host: str) -> None:
        """Subgraphs of real models, some thousands: they come in while people look around already."""
        if settings.LOAD_CAPTURED and any(settings.CAPTURED.glob("*.tar.gz")):
            environment = plan.child_environment(host, device_names(), settings.ALLOWED_HOSTS, settings.VAR)
            child = supervisor.start(plan.captured_spec(environment))
            self.stderr.write(f"Captured subgraphs that are not there yet are loaded meanwhile, see {child.log}")

    def _say_ready(self, where: str) -> None:
        """One line; a second one with the first account's one-time password at the very first start."""
        first = do_add_first_account()
        lines = [f"PassNet Workbench is ready at {where}"]
        if first is not None:
            lines.append(f"Log in as {first.author.name} with the one-time password {first.password}")
        elif not User.objects.exclude(last_login=None).exists():
            self.stderr.write(
                "Nobody has logged in yet. Lost the one-time password? .venv/bin/python manage.py reset_password admin"
            )
        connections.close_all()
        self.stdout.write("\n".join(lines))
        self.stdout.flush()

    def _too_slow(self, supervisor: Supervisor, who: str) -> bool:
        if not supervisor.is_stopping:
            supervisor.say(f"{who} does not answer yet; its log is in {settings.VAR / 'log'}")
        return not supervisor.is_stopping


def port_number(text: str) -> int:
    """A port that can be listened on."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port: choose a number from 1 to 65535")
    return int(text)


def address(host: str, port: int) -> str:
    """What to type into a browser."""
    name = reachable(host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def without_password(url: str) -> str:
    """An address that may be shown: without what stands before its host."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def redis_answers() -> bool:
    """Whether the Redis of the settings answers."""
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except RedisError:
        return False


def daemon_answers(device: str) -> bool:
    """Whether the daemon of a device says anything."""
    return "device" in device_status(DaemonClient(socket_path(device)))


def worker_answers(device: str) -> bool:
    """Whether the worker of a device has said how it is since we reset that."""
    try:
        return Device.objects.filter(pk=device).exclude(worker="").exists()
    finally:
        connections.close_all()
