"""A report as Markdown. Whatever a name holds stays text: no markup, no link, no HTML."""

import re

from submissions.reports.shapes import Cell, Report, Section, Table

# A name may hold any of these; a backslash before it makes it text in every dialect.
_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&:@=^\"'])")


def markdown(report: Report, base: str, figure_names: list[str]) -> str:
    """`base` goes before addresses of this workbench; `figure_names` are the files of the figures, in their order."""
    lines = [f"# {text(report.title)}", "", f"{report.kind}, {report.made_at:%Y-%m-%d %H:%M} UTC", ""]
    lines += [f"- {text(word)}: {text(said)}" for word, said in report.facts]
    names = iter(figure_names)
    for section in report.sections:
        lines += _section(section, base, names.__next__)
    return "\n".join(lines) + "\n"


def _section(section: Section, base: str, next_name: object) -> list[str]:
    lines = ["", f"## {text(section.title)}", ""]
    lines += [text(section.words), ""] if section.words else []
    if section.is_empty:
        return [*lines, text(section.empty or "Nothing.")]
    if section.figure is not None and section.figure.bars:
        assert callable(next_name)
        lines += [f"![{text(section.figure.title)}]({next_name()})", ""]
    return lines + (_table(section.table, base) if section.table is not None and section.table.rows else [])


def _table(table: Table, base: str) -> list[str]:
    marks = ["---:" if number else "---" for _, number in table.columns]
    lines = [_line([text(word) for word in table.head]), _line(marks)]
    return lines + [_line([_cell(cell, base) for cell in row]) for row in table.rows]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, base: str) -> str:
    return f"[{text(cell.text)}](<{base}{address(cell.href)}>)" if cell.href and cell.text else text(cell.text)


def address(href: str) -> str:
    """One of this workbench, without what would end it early."""
    return re.sub(r"[<>\s\\]", "", href)


def text(words: str) -> str:
    """`words` with every sign of Markdown and HTML made harmless."""
    return _SIGNS.sub(r"\\\1", words)
