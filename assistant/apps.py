"""The assistant as an app."""

import os

from django.apps import AppConfig

from submissions.spending import keep_ledger

_OF_THE_SDKS = ("OPENAI_", "ANTHROPIC_")


class AssistantConfig(AppConfig):
    name = "assistant"
    verbose_name = "Assistant"

    def ready(self) -> None:
        # The SDKs take keys, headers and addresses from here, and would send them to an endpoint that somebody else
        # has named. Ours come from the database alone.
        for name in [name for name in os.environ if name.startswith(_OF_THE_SDKS)]:
            del os.environ[name]
        from assistant.spending import AttemptLedger  # models are there from now on

        keep_ledger(AttemptLedger())
