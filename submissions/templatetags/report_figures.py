"""Figures of reports in templates."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from submissions.reports.bars import svg
from submissions.reports.shapes import Figure

register = template.Library()


@register.simple_tag
def figure_svg(figure: Figure) -> SafeString:
    """The figure as an element of the page: `svg` escapes whatever comes from a name."""
    return mark_safe(svg(figure))
