"""Model fields for texts that come from anyone."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from graphs.packing import pack_json, unpack_json

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
    _BinaryField = models.BinaryField[Any, Any]
else:
    _TextField = models.TextField  # it can not be subscripted at run time
    _BinaryField = models.BinaryField


class LosslessJSONField(_TextField):
    """A JSON value kept as ASCII text: every string comes back as it went in, on every database.

    Postgres' own JSON refuses NUL characters and lone surrogates, which files of a submission or of a dataset may
    hold. Values here are read and written whole, never searched, so that a text column is enough.
    """

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any
        _pyi_lookup_exact_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=True, separators=(",", ":"))

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or ""

    def formfield(self, **kwargs: Any) -> Any:
        return None  # not edited by hand


class PackedJSONField(_BinaryField):
    """A large JSON value kept compressed. It may be set to bytes that `pack_json` made: a JSON value has none."""

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any
        _pyi_lookup_exact_type: Any

    def from_db_value(self, value: bytes | memoryview | None, expression: Any, connection: Any) -> Any:
        return None if value is None else unpack_json(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        packed = value if value is None or isinstance(value, bytes) else pack_json(value)
        return super().get_db_prep_value(packed, connection, prepared)

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj), ensure_ascii=True, separators=(",", ":"))

    def formfield(self, **kwargs: Any) -> Any:
        return None  # not edited by hand
