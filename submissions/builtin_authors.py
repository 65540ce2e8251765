"""Authors that are programs of the workbench: the baselines of every board."""

from django.db import IntegrityError, transaction

from submissions.models import Author

EAGER = "eager"
INDUCTOR = "TorchInductor"


def built_in(name: str) -> Author:
    """The built-in author of that name; under another one where somebody has taken it."""
    found = Author.objects.filter(kind=Author.Kind.BUILT_IN, name__startswith=name).first()
    for free in (name, f"{name} (built in)"):
        if found is None:
            try:
                with transaction.atomic():
                    found = Author.objects.create(name=free, kind=Author.Kind.BUILT_IN)
            except IntegrityError:
                continue
    if found is None:
        raise RuntimeError(f"no author can be made for {name}")
    return found
