from django.contrib import admin

from graphs.models import Graph, Task


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Texts of a task; its graphs come from imports only."""

    list_display = ["slug", "title", "origin", "graph_count", "updated_at"]
    search_fields = ["slug", "title"]
    readonly_fields = ["slug", "origin", "content_hash", "graph_count", "operators", "dtypes"]


@admin.register(Graph)
class GraphAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Graphs are looked at here, never edited: results belong to their content."""

    list_display = ["name", "node_count", "identity", "problem", "shapes_problem"]
    search_fields = ["name", "identity"]

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False

    def has_add_permission(self, request: object) -> bool:
        return False
