"""The Celery application: one queue for each device class, tasks found in the apps' `tasks` modules."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")

app = Celery("passnet_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
