"""Settings, all of them from the environment (README lists the names). Without any, this is one person's laptop."""

import os
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from passnet_web.addresses import is_loopback
from passnet_web.paths import secret_key, socket_folder
from passnet_web.static_files import collected_is_current

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(env.str("PASSNET_VAR", default=str(BASE_DIR / "var"))).absolute()
SOCKETS = socket_folder(VAR)
try:
    VAR.mkdir(parents=True, exist_ok=True)
    OWN_SECRET = env.str("SECRET_KEY", default="") or secret_key(VAR)
except OSError as error:
    raise ImproperlyConfigured(
        f"{VAR} can not be used ({error.strerror}). Free some space or give it to this user, or set PASSNET_VAR to "
        "another folder."
    ) from error

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = OWN_SECRET
_DEPLOYMENTS = ("embedded", "cluster")
# Said, not guessed: an outside Postgres alone must not turn plain HTTP on this machine off.
DEPLOYMENT = env.str("DEPLOYMENT", default="") or "embedded"
if DEPLOYMENT not in _DEPLOYMENTS:
    raise ImproperlyConfigured(
        f"DEPLOYMENT can not be {DEPLOYMENT!r}. It is embedded (one machine, plain HTTP) or cluster (behind HTTPS)."
    )
IS_CLUSTER = DEPLOYMENT == "cluster"
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "channels",
    "ninja",
    "django_vite",
    "graphs",
    "submissions",
    "assistant",
    "passnet_web",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "passnet_web.headers.security_headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "passnet_web.middleware.plain_requests",
    "passnet_web.middleware.same_origin_writes",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "passnet_web.gate.Gate",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "passnet_web.urls"
ASGI_APPLICATION = "passnet_web.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "passnet_web.context.frame",
            ],
        },
    },
]

# --- Database ------------------------------------------------------------------------------------------------------


def _database() -> dict[str, Any]:
    """SQLite in var/ unless DATABASE_URL names another file or a Postgres."""
    url = env.str("DATABASE_URL", default="") or f"sqlite:///{VAR / 'passnet.sqlite3'}"
    database: dict[str, Any] = environ.Env.db_url_config(url)
    if database.get("ENGINE") not in ("django.db.backends.sqlite3", "django.db.backends.postgresql"):
        raise ImproperlyConfigured(
            "DATABASE_URL can not be read: it names neither Postgres nor SQLite. Write "
            "postgres://user:password@host:5432/name, or unset it."
        )
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"] = {"NAME": str(VAR / f"test-{os.getpid()}.sqlite3")}  # a file: threads and processes share it
        # Readers never wait for the writer (WAL). A transaction that reads and then writes would fail at once in
        # spite of the time-out unless it takes the write lock when it begins (IMMEDIATE).
        database["OPTIONS"] = {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        }
    return database


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis: channel layer and queue --------------------------------------------------------------------------------

PRIVATE_REDIS_SOCKET = SOCKETS / "redis.sock"
REDIS_URL = env.str("REDIS_URL", default="") or f"unix://{PRIVATE_REDIS_SOCKET}"
REDIS_IS_PRIVATE = not env.str("REDIS_URL", default="")

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            # A subscriber may hear nothing for hours: no read time-out. Every browser of a process shares a few
            # connections, but each sending thread opens its own.
            "hosts": [
                {"address": REDIS_URL, "socket_timeout": None, "socket_connect_timeout": 3, "max_connections": 10_000}
            ],
        },
    },
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True  # the truth about a run is in the database
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "device.cpu"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A task waits on the daemon's socket, so that a thread is enough: no pool processes that could be orphaned. Threads can
# not be revoked; nothing needs it: the author's wish to cancel is in the database, the task looks for it and closes
# the daemon's connection, and the daemon's own limits bound a run's time. One run at a time for a device.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = 1
# Longer than any run: a message that is not acknowledged in time is delivered again. That is harmless (a run is
# claimed in the database, once) but useless; runs that were lost come back through the lease reaper, not this way.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 6 * 3600,
    "socket_connect_timeout": 3,
    # Somebody waits for the answer to "run this": without a broker the run simply stays queued for the caretaker.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.2,
}

# --- Devices -------------------------------------------------------------------------------------------------------

WORKER_DEVICES = env.str("WORKER_DEVICES", default="auto")  # "cpu,cuda:H200"; "" for none; see submissions/devices.py
RUNNER_SOCKETS = Path(env.str("RUNNER_SOCKETS", default=str(SOCKETS)))
# Where the CPU's daemon matches patterns while they are typed; the web server asks there itself.
MATCH_SOCKET = Path(env.str("MATCH_SOCKET", default=str(RUNNER_SOCKETS / "match.sock")))
# The language servers of the editor; "" switches them off.
LANGUAGE_SOCKET = env.str("LANGUAGE_SOCKET", default=str(RUNNER_SOCKETS / "language.sock"))

# --- Static files --------------------------------------------------------------------------------------------------

FRONTEND_DIST = Path(env.str("FRONTEND_DIST", default=str(BASE_DIR / "static" / "dist")))
STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(BASE_DIR / "static" / "collected")))
STATICFILES_DIRS = [("dist", FRONTEND_DIST)] if FRONTEND_DIST.is_dir() else []
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Vite puts a hash into every name already, and a manifest storage fails on missing source maps.
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
# Pages work before collectstatic ran, or when it ran for an older build; collected files are served compressed.
WHITENOISE_USE_FINDERS = not collected_is_current(FRONTEND_DIST, STATIC_ROOT)
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/dist/assets/.+[-.][A-Za-z0-9_-]{8,}\.\w+$"
DJANGO_VITE = {
    "default": {
        "dev_mode": env.bool("VITE_DEV", default=False),
        "manifest_path": FRONTEND_DIST / "manifest.json",
        "static_url_prefix": "dist",
    },
}

# --- Bounds --------------------------------------------------------------------------------------------------------

MAX_BODY = 4 << 20  # bytes: a submission is at most 1 MB of text; JSON escapes may double it and more
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
MAX_ACTIVE_RUNS = env.int("MAX_ACTIVE_RUNS", default=20)  # queued or running, for one author
# Runs that programs asked for and that have not ended (/api/evaluate): of one author, and of all.
MAX_EVALUATIONS = env.int("MAX_EVALUATIONS", default=2_000)
MAX_ALL_EVALUATIONS = env.int("MAX_ALL_EVALUATIONS", default=10_000)
CATALOGUE = BASE_DIR / "graphs" / "data"
CAPTURED = BASE_DIR / "graphs" / "captured"  # archives of subgraphs of real models
LOAD_CAPTURED = env.bool("LOAD_CAPTURED", default=False)  # `manage.py up` loads them; `make run` asks for it

# --- Safety --------------------------------------------------------------------------------------------------------

# Hosts of models that the server asks for users who are no admins, where it is not one person's own machine.
ASSISTANT_HOSTS = env.list("ASSISTANT_HOSTS", default=["api.openai.com", "api.anthropic.com"])
PUBLIC_READ = env.bool("PUBLIC_READ", default=False)  # visitors without an account may read tasks and graphs
PUBLIC_SHARES = env.bool("PUBLIC_SHARES", default=True)  # authors may share with people who have no account here
# Where browsers reach the workbench: `manage.py up` and docker/compose.yaml say so to every process.
PUBLISHED_ON = env.str("PUBLISHED_ON", default="127.0.0.1")
ONLY_THIS_MACHINE = not IS_CLUSTER and is_loopback(PUBLISHED_ON)
MAY_JUDGE_UNISOLATED = ONLY_THIS_MACHINE and env.bool("PASSNET_ALLOW_UNISOLATED", default=False)
# How many proxies stand in front, each of which adds the address it was asked from to X-Forwarded-For.
PROXIES = env.int("PROXIES", default=1 if IS_CLUSTER else 0)

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # what Prometheus shows to read /metrics

LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 10}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CSRF_FAILURE_VIEW = "passnet_web.errors.csrf_failure"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 7 * 24 * 3600
if IS_CLUSTER:
    # A proxy ends TLS; it must overwrite X-Forwarded-Proto. Health checks come from inside, over HTTP.
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=365 * 24 * 3600)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_HSTS_SECONDS > 0
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_NAME = "__Host-passnet"  # a browser takes it from this very host only, over HTTPS

# --- Language, time, logs ------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

LOG_FORMAT = env.str("LOG_FORMAT", default="line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT can not be {LOG_FORMAT!r}. It is line (for people) or json (for programs).")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"run": {"()": "submissions.logs.RunFilter"}},
    "formatters": {
        "line": {"()": "passnet_web.json_log.PlainLine"},
        "json": {"()": "passnet_web.json_log.JsonLine"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["run"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # scanners ask for any host; a traceback for each
        "rust-sugiyama": {"level": "WARNING"},  # it tells every step of every layout
        "connected_components": {"level": "WARNING"},
        # At their lower levels they tell whole requests: the code that was sent, the address that was asked.
        **{name: {"level": "WARNING"} for name in ("openai", "anthropic", "httpx2", "httpcore2")},
    },
}
