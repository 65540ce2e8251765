"""The project as an app: it carries `manage.py up` and makes the Celery application known to every process."""

from django.apps import AppConfig


class PassnetWebConfig(AppConfig):
    name = "passnet_web"
    verbose_name = "PassNet Workbench"

    def ready(self) -> None:
        # Tasks are sent by name from submissions.dispatch; without this the sender would not know the broker.
        import passnet_web.celery
        import passnet_web.deployment  # noqa: F401
