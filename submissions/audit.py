"""The audit log: who did what to an account, a token or a verdict. Never a password, a token or a session's key."""

from typing import Any

from submissions.models import AuditEntry, Author
from submissions.safe_json import safe_json, safe_text


def note(actor: Author | None, action: str, subject: object, **details: Any) -> None:
    """Writes one entry. Call it in the transaction of the change, so that there is no change without its entry."""
    AuditEntry.objects.create(
        actor=actor, action=action, subject=safe_text(str(subject))[:200], details=safe_json(details)
    )
