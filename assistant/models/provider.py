"""Endpoints of models, and the account of what was asked of them."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from assistant.providers import KINDS
from submissions.models import Author


def _price(words: str) -> models.DecimalField:  # type: ignore[type-arg]
    return models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, help_text=f"of a million {words}; null: not known"
    )


class Provider(models.Model):
    """An endpoint with a model. Without an owner it is the site's, for everybody."""

    owner = models.ForeignKey(Author, null=True, on_delete=models.CASCADE, related_name="providers")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=12, choices=[(kind, kind) for kind in KINDS])
    base_url = models.CharField(max_length=300)
    sealed_key = models.TextField(blank=True, help_text="assistant.sealing; empty: the endpoint needs none")
    model = models.CharField(max_length=200)
    max_output_tokens = models.PositiveIntegerField(default=8192, validators=[MinValueValidator(16)])
    idle_seconds = models.FloatField(default=60, validators=[MinValueValidator(1), MaxValueValidator(600)])
    total_seconds = models.FloatField(default=600, validators=[MinValueValidator(5), MaxValueValidator(3600)])
    requests_per_minute = models.PositiveIntegerField(default=0, help_text="0: no limit of our own")
    currency = models.CharField(max_length=8, default="USD")
    price_input = _price("input tokens")
    price_cached = _price("input tokens read from the cache")
    price_written = _price("input tokens written into the cache")
    price_output = _price("output tokens")
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="provider_named_once"),
            models.UniqueConstraint(fields=["name"], condition=Q(owner=None), name="site_provider_named_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.model})"


class ProviderCall(models.Model):
    """One answer of a model, or the lack of one: what it used, what it cost. It outlives the provider's row."""

    provider = models.ForeignKey(Provider, null=True, on_delete=models.SET_NULL, related_name="calls")
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="model_calls")
    model = models.CharField(max_length=200)
    host = models.CharField(max_length=255)
    purpose = models.CharField(max_length=20, help_text="check, chat")
    started_at = models.DateTimeField(default=timezone.now)
    seconds = models.FloatField()
    attempts = models.PositiveSmallIntegerField()
    stop = models.CharField(max_length=12, help_text="assistant.providers.Stop, or failed")
    failure = models.CharField(max_length=20, blank=True, help_text="ProviderFailure's code")
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    written_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    estimated = models.BooleanField(default=False, help_text="the endpoint did not count")
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, help_text="null: no price is known")
    currency = models.CharField(max_length=8, blank=True)

    class Meta:
        ordering = ["-started_at", "-id"]
        indexes = [models.Index(fields=["author", "-started_at"], name="model_calls_of_author")]

    def __str__(self) -> str:
        return f"{self.model} {self.input_tokens}+{self.output_tokens}"
