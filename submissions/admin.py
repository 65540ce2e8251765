"""What admins look at on /admin/: the audit log, reviews and tokens. Nothing of it is edited there."""

from django.contrib import admin
from django.http import HttpRequest

from submissions.models import ApiToken, AuditEntry, RunReview


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows are written by actions only, so that each has its entry in the audit log."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(AuditEntry)
class AuditEntryAdmin(LookOnly):
    list_display = ["at", "actor", "action", "subject", "details"]
    list_filter = ["action"]
    search_fields = ["subject", "actor__name"]
    list_select_related = ["actor"]


@admin.register(RunReview)
class RunReviewAdmin(LookOnly):
    list_display = ["created_at", "run_id", "reviewer", "before", "verdict", "reason"]
    list_select_related = ["reviewer"]


@admin.register(ApiToken)
class ApiTokenAdmin(LookOnly):
    list_display = ["author", "name", "hint", "scope", "created_at", "expires_at", "used_at", "revoked_at"]
    list_select_related = ["author"]
    exclude = ["digest"]
