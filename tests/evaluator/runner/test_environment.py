from evaluator.runner import environment

SERVICE = {
    "PATH": "/usr/bin",
    "HOME": "/home/me",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "CUDA_VISIBLE_DEVICES": "0",
    "DJANGO_SECRET_KEY": "secret",
    "DATABASE_URL": "postgres://secret",
    "MODEL_API_KEY": "secret",
    "LD_PRELOAD": "/tmp/x.so",
    "OMP_NUM_THREADS": "8",
}


def test_secrets_do_not_pass():
    kept = environment.scrubbed(SERVICE)
    assert "secret" not in " ".join(kept.values())
    assert "LD_PRELOAD" not in kept
    assert kept["PATH"] == "/usr/bin" and kept["LC_ALL"] == "C.UTF-8" and kept["CUDA_VISIBLE_DEVICES"] == "0"


def test_one_thread_per_pool_whatever_was_asked_for():
    assert environment.scrubbed(SERVICE)["OMP_NUM_THREADS"] == "1"


def test_scrubbing_twice_changes_nothing():
    once = environment.scrubbed(SERVICE)
    assert environment.scrubbed(once) == once


def test_a_run_writes_into_its_own_folder_only(monkeypatch):
    monkeypatch.setenv("MODEL_API_KEY", "secret")
    monkeypatch.setenv("HOME", "/home/me")
    seen = environment.for_a_run("/private/1", "someone")
    assert "secret" not in seen.values()
    places = {name: seen[name] for name in ("HOME", "TMPDIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")}
    assert all(value.startswith("/private/1") for value in places.values())
    assert seen["USER"] == "someone"
