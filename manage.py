#!/usr/bin/env python
"""Commands of the workbench: `up` starts everything, `import_graphs` reads graphs, `help` lists the rest."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")
    try:
        from django.conf import settings
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError as error:
        sys.exit(f"{error}. The environment is not set up: run `make setup`, then use `.venv/bin/python manage.py …`.")
    try:
        settings.INSTALLED_APPS  # noqa: B018 (read now, so that a wrong setting is a sentence and not a traceback)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
