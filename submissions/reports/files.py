"""A report as files to keep: one HTML file that needs nothing else, or Markdown with its figures in an archive."""

import io
import re
import zipfile

from django.http import HttpResponse
from django.template.loader import render_to_string

from submissions.reports.bars import svg
from submissions.reports.markdown import markdown
from submissions.reports.shapes import Report


def as_html(report: Report, base: str) -> HttpResponse:
    """`base` goes before addresses of this workbench, so that links lead back to it."""
    text = render_to_string("reports/file.html", {"report": report, "base": base})
    return _attached(text.encode(), "text/html; charset=utf-8", f"{file_name(report)}.html")


def as_markdown(report: Report, base: str) -> HttpResponse:
    """An archive of `report.md` and its figures as SVG beside it."""
    figures = [one.figure for one in report.sections if one.figure is not None and one.figure.bars and not one.is_empty]
    names = [f"figure-{place}.svg" for place, _ in enumerate(figures, 1)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.md", markdown(report, base, names))
        for name, figure in zip(names, figures, strict=True):
            # On its own, a figure has no page to take its colour from.
            archive.writestr(name, svg(figure).replace("<svg ", '<svg color="#171b22" ', 1))
    return _attached(packed.getvalue(), "application/zip", f"{file_name(report)}.zip")


def file_name(report: Report) -> str:
    """Letters, digits and "-" alone."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", report.name)[:100].strip("-") or "report"


def _attached(content: bytes, kind: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
