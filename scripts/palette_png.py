"""Pictures of pages as PNG files with a palette: a third of the size, and no difference that an eye sees."""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser

COLOURS = 256
_CELLS = 32  # of a channel; colours in one cell of 8 × 8 × 8 become the most frequent of them

_PIXELS = """
async (picture) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const bytes = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return [bitmap.width, bitmap.height, btoa(text)];
}
"""


def with_palette(browser: Browser, png: bytes) -> bytes:
    """The picture in at most 256 colours. The browser decodes it, on a page of its own without a content policy."""
    page = browser.new_page()
    try:
        width, height, text = page.evaluate(_PIXELS, base64.b64encode(png).decode())
    finally:
        page.close()
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)[:, :, :3]
    palette, places = _quantised(pixels.reshape(-1, 3))
    return _written(palette, places.reshape(height, width))


def _quantised(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The palette, and for each pixel its place there."""
    wide = pixels.astype(np.int64)
    codes = (wide[:, 0] << 16) | (wide[:, 1] << 8) | wide[:, 2]
    colours, which, counts = np.unique(codes, return_inverse=True, return_counts=True)
    channels = np.stack([colours >> 16, (colours >> 8) & 255, colours & 255], axis=1)
    cells = (channels // (256 // _CELLS)) @ np.array([_CELLS * _CELLS, _CELLS, 1])
    order = np.lexsort((-counts, cells))
    firsts = order[np.unique(cells[order], return_index=True)[1]]  # the most frequent colour of each cell
    weight = np.bincount(cells, weights=counts)[cells[firsts]]
    chosen = firsts[np.argsort(-weight)[:COLOURS]]
    palette = channels[chosen]
    nearest = np.array([((palette - colour) ** 2).sum(axis=1).argmin() for colour in channels], np.uint8)
    return palette.astype(np.uint8), nearest[which.reshape(-1)]


def _written(palette: NDArray[np.uint8], places: NDArray[np.uint8]) -> bytes:
    height, width = places.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), places], axis=1)  # no filter: each row begins with 0
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
