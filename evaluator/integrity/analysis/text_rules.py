"""Text that a submission prints: lines that look like the judge's own results."""

import re

# line forms of evaluation logs and of the event stream; a single one is a forgery
_STRONG = re.compile(
    r"""\[\s*(result|performance|correctness|speedup|processing|datatype)\s*\]
    | graph-net-(test|bench)-\w+
    | ["']?\bevent["']?\s*:\s*["']?(result|run_done|graph_done|correctness|timed|static_check)\b
    | ["']?\bstatus["']?\s*[:=]\s*["']?(correct|success|clean|passed)\b
    | ["']?\bverdict["']?\s*[:=]\s*["']?(clean|correct|pass)
    | ["']?\b(aggregate_score|es_t|first_t|correct_at_t)\b["']?\s*[:=]
    | all_close_atol
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WEAK = re.compile(
    r"\bspeed-?up\b|\bcorrect(ness)?\b|\bstatus\b|\bscore\b|\ball_?close\b|\bmax_diff\b|\bpassed\b", re.IGNORECASE
)


def looks_forged(texts: list[str]) -> str | None:
    """ "violation" for text in the form of a result, "suspicious" for several words of one, else None."""
    whole = "\n".join(texts)[:20_000]
    if _STRONG.search(whole):
        return "violation"
    if len({match.group(0).lower() for match in _WEAK.finditer(whole)}) >= 2:
        return "suspicious"
    return None
