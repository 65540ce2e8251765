"""What an author looks for in the catalogue again and again."""

from django.db import models
from django.utils import timezone

from submissions.models.people import Author


class SavedSearch(models.Model):
    """A named state of the catalogue: words, facets and order, as its address carries them."""

    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="searches")
    name = models.CharField(max_length=60)
    address = models.CharField(max_length=1000, help_text="the part of the address from the question mark on")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["author", "name"], name="one_search_of_a_name")]

    def __str__(self) -> str:
        return f"{self.author_id} {self.name}"
