"""Keys of providers at rest: encrypted with a key that is derived from the site's secret; made readable here alone."""

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE = b"passnet assistant: keys of providers, 1"


class Unreadable(Exception):
    """What was sealed can not be opened: the site's secret has changed since, or the row was."""


def seal(text: str) -> str:
    """The text, encrypted and authenticated. Empty stays empty: an endpoint of one's own may need no key."""
    return _box().encrypt(text.encode()).decode() if text else ""


def unseal(sealed: str) -> str:
    """What was given to `seal`. Raises Unreadable."""
    try:
        return _box().decrypt(sealed.encode()).decode() if sealed else ""
    except (InvalidToken, ValueError) as error:
        raise Unreadable(
            "The key can not be read: the site's secret has changed since. Enter the key again."
        ) from error


def _box() -> Fernet:
    derived = HKDF(SHA256(), length=32, salt=None, info=_PURPOSE).derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
