import subprocess
import sys

CODE = """
import sys
import passnet_web.asgi
from django.test import Client
from django.urls import get_resolver
get_resolver().url_patterns
import submissions.tasks, passnet_web.management.commands.up
print(sorted(name for name in ("torch", "triton", "numpy") if name in sys.modules))
"""


def test_neither_the_web_nor_the_worker_imports_torch():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
