"""Which children there are, and with what commands and environments they start."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from passnet_web.supervisor.children import Spec, python

# What the evaluator's daemon must not see: it runs other people's code, in processes that inherit from it.
_SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|_KEY$|^DATABASE_URL$|^REDIS_URL$|CREDENTIAL|^AWS_|^DJANGO_", re.IGNORECASE)


def redis_spec(binary: str, socket: Path, folder: Path) -> Spec:
    """A Redis that keeps nothing: queue and announcements only, the truth is in the database."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "dir": str(folder),
    }
    command = [binary, *(part for name, value in options.items() for part in (f"--{name}", value))]
    return Spec("redis", command, {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"})


def web_spec(host: str, port: int, environment: Mapping[str, str]) -> Spec:
    """The web server with pages, API and WebSockets."""
    command = python("-m", "passnet_web.serve", "-v", "0", "-b", host, "-p", str(port))
    return Spec("web", command, environment)


def worker_spec(device: str, environment: Mapping[str, str]) -> Spec:
    """The Celery worker of a device class. It gives its run back to the queue when it is stopped."""
    options = ["-Q", f"device.{device}", "-n", f"{file_name(device)}@%h", "--without-gossip", "--without-mingle"]
    command = python("-m", "celery", "-A", "passnet_web", "worker", *options, "--loglevel", "INFO")
    return Spec(f"worker-{file_name(device)}", command, environment, stop_seconds=10)


def daemon_spec(device: str, socket: Path, environment: Mapping[str, str], match_socket: Path | None = None) -> Spec:
    """The runner daemon of a device class. The CPU's also matches patterns while they are typed, at `match_socket`."""
    kind = device.partition(":")[0]  # "cuda:H200" is a class of devices; torch knows the kind
    command = python("-m", "evaluator", "serve", "--socket", str(socket), "--device", kind)
    if kind == "cpu" and match_socket is not None:
        command += ["--match-socket", str(match_socket)]
    return Spec(f"evaluator-{file_name(device)}", command, without_secrets(environment), stop_seconds=10)


def languages_spec(socket: Path, environment: Mapping[str, str]) -> Spec:
    """The language servers of the editor."""
    command = python("-m", "evaluator", "languages", "--socket", str(socket))
    return Spec("languages", command, without_secrets(environment), stop_seconds=10)


def captured_spec(environment: Mapping[str, str]) -> Spec:
    """Loads the captured catalogue beside everything else, and ends."""
    return Spec("captured", python("manage.py", "load_captured", "--gently"), environment, stop_seconds=10, once=True)


def child_environment(host: str, devices: Sequence[str], allowed_hosts: Sequence[str], var: Path) -> dict[str, str]:
    """Our environment, with what was worked out once made explicit."""
    hosts = [*allowed_hosts, *([host] if host not in ("0.0.0.0", "::", *allowed_hosts) else [])]
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "passnet_web.settings"),
        "PASSNET_VAR": str(var),
        "WORKER_DEVICES": ",".join(devices),
        "ALLOWED_HOSTS": ",".join(hosts),
        "PUBLISHED_ON": host,
        "PYTHONUNBUFFERED": "1",
    }


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without passwords, keys and addresses of services."""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}


def file_name(device: str) -> str:
    """A device class as part of a file's or a worker's name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", device)
