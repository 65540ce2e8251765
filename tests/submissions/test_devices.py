from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from submissions.actions import claims, runs
from submissions.actions.devices import do_report_device
from submissions.devices import device_label, device_names, device_states, torch_has_cuda
from submissions.models import Device


@pytest.mark.parametrize(
    ("chosen", "names"),
    [("cpu", ["cpu"]), ("cpu, cuda:H200", ["cpu", "cuda:H200"]), ("", []), (",", [])],
)
def test_device_classes_come_from_the_environment(chosen, names, settings):
    settings.WORKER_DEVICES = chosen
    assert device_names() == names


def test_auto_is_at_least_the_cpu(settings):
    settings.WORKER_DEVICES = "auto"
    assert device_names()[0] == "cpu"


def test_labels():
    assert device_label("cpu") == "CPU · Triton interpreter"
    assert device_label("cuda:H200") == "H200"


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("cuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n", True),
        ("cuda: Optional[str] = None\nhip: Optional[str] = '6.1'\n", False),
        ("__version__ = '2.13.0+cpu'\n", False),
    ],
)
def test_a_cuda_build_of_torch_is_told_by_its_version_file(tmp_path, text, has):
    (tmp_path / "version.py").write_text(text)
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    assert torch_has_cuda(lambda name: spec) is has


def test_without_torch_there_is_no_cuda():
    assert torch_has_cuda(lambda name: None) is False


def state() -> tuple[str, str]:
    (cpu,) = device_states()
    return cpu.status, cpu.message


def test_a_silent_worker_is_taken_for_gone(db, settings):
    settings.WORKER_DEVICES = "cpu"
    assert state()[0] == "offline"
    do_report_device("cpu", "ready", worker="cpu@here")
    assert state() == ("ready", "")
    Device.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    assert state()[0] == "offline"


def test_a_device_with_a_run_is_busy(author, task, settings):
    settings.WORKER_DEVICES = "cpu"
    do_report_device("cpu", "ready", worker="cpu@here")
    first, _ = (runs.do_request_run(author, task, {"A.py": ""}, "cpu") for _ in range(2))
    assert device_states()[0].queued == 2
    claims.do_claim_run(str(first.pk), "cpu@here")
    assert (state()[0], device_states()[0].queued) == ("busy", 1)


def test_an_unchanged_state_is_not_written_at_every_round(db):
    do_report_device("cpu", "ready", worker="cpu@here")
    first = Device.objects.get().seen_at
    do_report_device("cpu", "ready", worker="cpu@here")
    assert Device.objects.get().seen_at == first
    do_report_device("cpu", "warming", worker="cpu@here")
    assert Device.objects.get().seen_at > first
