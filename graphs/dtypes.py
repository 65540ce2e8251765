"""Names of torch's dtypes, for readers that do not load torch."""

import difflib

ALIASES = {
    "bit": "uint1",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}
_OTHERS = """
bool bfloat16 float16 float32 float64 complex32 complex64 complex128
uint8 uint16 uint32 uint64 int8 int16 int32 int64
float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2
quint8 qint8 qint32 quint4x2 quint2x4 bits8 bits16 bits1x8 bits2x4 bits4x2
"""
DTYPES = frozenset(_OTHERS.split()) | {f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)}


def dtype_name(written: str) -> str | None:
    """The one name of a dtype ("torch.half" → "float16"); None for a word that is no dtype."""
    name = written.removeprefix("torch.")
    name = ALIASES.get(name, name)
    return name if name in DTYPES else None


def nearest(written: str) -> str | None:
    """The dtype that was most likely meant."""
    return next(iter(difflib.get_close_matches(written.removeprefix("torch."), sorted(DTYPES), n=1)), None)
