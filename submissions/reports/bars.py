"""A figure as SVG: bars with labels, made of text alone, so that it stands in a page, in a file and in Markdown."""

from xml.sax.saxutils import quoteattr

from django.utils.html import escape

from submissions.reports.shapes import Figure

WIDTH, ROW, LABEL, END = 760, 22, 240, 110  # user units; END: room for the value's text
_MOST_LABEL = 38  # characters
_INK, _BAR, _LINE = "currentColor", "#5a55d6", "#8a94a4"


def svg(figure: Figure) -> str:
    """One `<svg>` element. Nothing in it comes unescaped from a name; it needs no style sheet and no script."""
    top, room = 24, WIDTH - LABEL - END
    height = top + ROW * len(figure.bars) + 8
    ends = [bar.value for bar in figure.bars] + [bar.high for bar in figure.bars if bar.high is not None]
    most = max([*ends, figure.rule or 0.0, 0.0]) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label={quoteattr(_described(figure))} font-family="sans-serif" font-size="12">',
        f'<text x="{LABEL}" y="14" fill="{_LINE}">{escape(figure.unit)}</text>',
    ]
    if figure.rule is not None:
        at = LABEL + room * figure.rule / most
        parts.append(
            f'<path d="M{at:.1f} {top - 4}V{height - 4}" stroke="{_LINE}" stroke-dasharray="3 3"/>'
            f'<text x="{at:.1f}" y="14" text-anchor="middle" fill="{_LINE}">{figure.rule:g}</text>'
        )
    for place, bar in enumerate(figure.bars):
        y = top + ROW * place
        label = bar.label if len(bar.label) <= _MOST_LABEL else f"{bar.label[: _MOST_LABEL - 1]}…"
        end = LABEL + room * max(bar.value, 0.0) / most
        parts.append(f'<text x="{LABEL - 8}" y="{y + 14}" text-anchor="end" fill="{_INK}">{escape(label)}</text>')
        parts.append(
            f'<rect x="{LABEL}" y="{y + 4}" width="{max(end - LABEL, 0.5):.1f}" height="{ROW - 8}" fill="{_BAR}"/>'
        )
        if bar.low is not None and bar.high is not None:
            low, high = (LABEL + room * max(value, 0.0) / most for value in (bar.low, bar.high))
            middle, end = y + ROW / 2, max(end, high)
            parts.append(f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="{_INK}" stroke-width="1.5"/>')
        parts.append(f'<text x="{end + 6:.1f}" y="{y + 14}" fill="{_INK}">{escape(bar.text)}</text>')
    return "".join([*parts, "</svg>"])


def _described(figure: Figure) -> str:
    said = "; ".join(f"{bar.label}: {bar.text}" for bar in figure.bars[:20])
    return f"{figure.title}, {figure.unit}. {said}"
