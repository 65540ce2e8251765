"""Models as authors: what an attempt has judged stands under the model's name, not under its person's."""

from assistant.models import Provider
from assistant.prompts import prompt
from graphs.refused import Refused
from submissions.actions.run_folders import Described, do_get_author
from submissions.models import Author


def do_get_model_author(person: Author, provider: Provider) -> Author:
    """The author for this person's runs of a model, made where there is none yet. A name that is taken gets the
    person's behind it. Raises Refused where no name is left."""
    settings = {
        "protocol": provider.kind,
        "max_output_tokens": str(provider.max_output_tokens),
        "prompt": str(prompt("autopilot").version),
    }
    for name in (provider.model[:100], f"{provider.model[:60]} ({person.name[:36]})"):
        found = Author.objects.filter(name=name).first()
        if found is None or (found.kind == Author.Kind.MODEL and found.brought_in_by_id == person.pk):
            return do_get_author(name, Described(settings=settings), person)
    message = f"The name {provider.model[:60]} is taken by other authors. Rename the model in its provider's settings."
    raise Refused(409, "taken", message)
