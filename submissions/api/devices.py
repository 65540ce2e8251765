"""Device classes and how they are doing."""

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from submissions.devices import device_states

router = Router(tags=["devices"])


class DeviceOut(Schema):
    device: str
    label: str
    status: str  # ready, warming, busy, offline
    message: str
    queued: int
    isolation: str  # what separates a submission from the machine; empty until the evaluator has said
    isolated: bool | None


class DeviceList(Schema):
    devices: list[DeviceOut]


@router.get("/devices", response=DeviceList, summary="Device classes, their state and their queues")
def devices(request: HttpRequest) -> dict[str, Any]:
    return {"devices": [{**asdict(state), "isolated": state.isolated} for state in device_states()]}
