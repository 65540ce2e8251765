"""Ed25519 signatures as in RFC 8032, section 5.1, in plain Python: nothing has to be installed to check a bundle.

Slow (some milliseconds) and not constant in time: sign on a machine of your own, not in a service that strangers time.
"""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
_ROOT = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]  # extended homogeneous coordinates
_Y = 4 * pow(5, P - 2, P) % P


def public_key(secret: bytes) -> bytes:
    """The public key (32 bytes) of a secret one (32 bytes)."""
    return _packed(_times(_expanded(secret)[0], BASE))


def sign(secret: bytes, message: bytes) -> bytes:
    """The signature (64 bytes) of a message."""
    scalar, prefix = _expanded(secret)
    public = _packed(_times(scalar, BASE))
    r = _number(prefix + message)
    point = _packed(_times(r, BASE))
    s = (r + _number(point + public + message) * scalar) % L
    return point + s.to_bytes(32, "little")


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature is that of the message under the public key. False also for what is no key or signature."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, point = _unpacked(public), _unpacked(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or point is None or s >= L:
        return False
    h = _number(signature[:32] + public + message)
    return _equal(_times(s, BASE), _sum(point, _times(h, key)))


def _expanded(secret: bytes) -> tuple[int, bytes]:
    if len(secret) != 32:
        raise ValueError("a secret key has 32 bytes")
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def _number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little") % L


def _sum(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = _sum(result, point)
        point = _sum(point, point)
        scalar >>= 1
    return result


def _equal(p: Point, q: Point) -> bool:
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def _x_of(y: int, sign: int) -> int | None:
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * _ROOT % P
    if (x * x - square) % P != 0:
        return None
    return x if (x & 1) == sign else P - x


def _packed(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | ((x & 1) << 255)).to_bytes(32, "little")


def _unpacked(data: bytes) -> Point | None:
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    x = _x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


_x = _x_of(_Y, 0)
assert _x is not None
BASE: Point = (_x, _Y, 1, _x * _Y % P)
