"""The images and the compose file, as far as that goes without a container engine."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
DOCKERFILES = sorted((ROOT / "docker").glob("*.Dockerfile"))
BUILT_IN_THE_IMAGE = {"/opt/venv", "/app/static/dist"}


def test_services_are_those_of_a_cluster():
    assert set(COMPOSE["services"]) == {"postgres", "redis", "migrate", "web1", "web2", "proxy", "runner", "worker"}


@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_a_service_refers_to_what_exists(name):
    service = COMPOSE["services"][name]
    if "build" in service:
        context = (ROOT / "docker" / service["build"]["context"]).resolve()
        assert context == ROOT
        assert (context / service["build"]["dockerfile"]).is_file()
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        assert source in COMPOSE["volumes"] or (ROOT / "docker" / source).is_file()
    assert set(service.get("depends_on", {})) <= set(COMPOSE["services"])
    for other, condition in service.get("depends_on", {}).items():
        if condition["condition"] == "service_healthy":
            assert "healthcheck" in COMPOSE["services"][other]


@pytest.mark.parametrize("name", ["migrate", "web1", "worker"])
def test_settings_read_every_variable_that_a_service_sets(name):
    settings = (ROOT / "passnet_web" / "settings.py").read_text()
    known = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", settings))
    assert set(COMPOSE["services"][name]["environment"]) <= known


def test_the_runner_has_neither_network_nor_secrets():
    runner = COMPOSE["services"]["runner"]
    assert runner["network_mode"] == "none"
    assert set(runner["environment"]) == {"PASSNET_ALLOW_UNISOLATED"}
    assert runner["read_only"] is True
    assert runner["cap_drop"] == ["ALL"]


def test_the_proxy_knows_every_web_server_and_passes_sockets_on():
    conf = (ROOT / "docker" / "nginx.conf").read_text()
    webs = {name for name in COMPOSE["services"] if name.startswith("web")}
    assert set(re.findall(r"server (\w+):8000", conf)) == webs == set(COMPOSE["services"]["proxy"]["depends_on"])
    assert "proxy_set_header Upgrade $http_upgrade;" in conf
    (outside,) = COMPOSE["services"]["proxy"]["ports"]
    assert outside.rpartition(":")[2] == re.search(r"listen (\d+);", conf)[1]
    assert not any("ports" in COMPOSE["services"][name] for name in webs)  # nobody but the proxy reaches them


def test_recipes_are_readable():
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docker" / "kubernetes.md").read_text(), re.DOTALL)
    kinds = [one["kind"] for block in blocks for one in yaml.safe_load_all(block)]
    assert kinds == ["Secret", "ConfigMap", "Job", "Deployment", "StatefulSet"]


def test_every_variable_of_the_compose_file_is_in_the_example():
    used = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker" / "compose.yaml").read_text()))
    offered = set(re.findall(r"^([A-Z_]+)=", (ROOT / "docker" / "env.example").read_text(), re.MULTILINE))
    assert used == offered


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_an_image_copies_what_exists_and_runs_as_nobody_special(dockerfile):
    text = dockerfile.read_text().replace("\\\n", " ")
    for arguments in re.findall(r"^COPY (.*)$", text, re.MULTILINE):
        parts = [part for part in arguments.split() if not part.startswith("--")]
        for source in parts[:-1]:
            if "--from=" in arguments:
                assert source in BUILT_IN_THE_IMAGE
            else:
                assert (ROOT / source).exists(), source
    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["passnet"]
    assert "HEALTHCHECK" in text
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
    assert set(packages) <= set(re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE))
