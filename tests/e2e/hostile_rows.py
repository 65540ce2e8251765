"""Puts a task and a judged run into a workbench's database in which every text that can come from outside is hostile.

Run as a program with the workbench's environment. It writes past all checks on purpose: whatever gets into the
database one day, by an import, a model or a mistake of ours, must be harmless in a browser.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "passnet_web.settings")

SLUG = "hostile-names"
MARK = '"><img src=x class=pwned onerror="window.pwned=1"><script>window.pwned=1</script><b class=pwned>'
TURNED = "safe\u202etxt.exe\u2066"  # right-to-left override: reads as "safeexe.txt"
LONG = "W" * 10_000
ODD = "'`${pwned}`{{pwned}}&lt;b&gt;&#60;b&#62;\u0000\u001b[31m\ufffe"
URL = "javascript:window.pwned=1"
ALL = f"{MARK} {TURNED} {ODD} {URL}"
CODE = f"""\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1):
        ﬁne_ñ = torch.nn.functional.relu(in_0)
        tmp_1 = torch.einsum({MARK!r}, ﬁne_ñ, in_1)
        tmp_2 = torch.einsum({("a" * 3000)!r}, tmp_1, in_1)
        return (tmp_2,)
"""


def main() -> None:
    import django

    django.setup()
    from django.db import transaction
    from django.db.models import F

    from graphs.actions import TaskText, do_store_graph, do_store_task
    from graphs.models import Graph, Task
    from graphs.samples import Sample, TensorMeta, hash_source
    from submissions.actions import claims, runs
    from submissions.actions.drafts import do_save_draft
    from submissions.models import Author, Draft, Revision, Run, RunReview

    metas = tuple(
        TensorMeta(name, (4, 4), "float32", "cpu", 0.0, 1.0, None, None, None, MARK, f"Meta_{name}")
        for name in ("in_0", "in_1")
    )
    net = {"framework": "torch", "model_name": ALL, "source": URL}
    sample = Sample(f"{MARK}{TURNED}", CODE, metas, graph_net=net, content_hash=hash_source(CODE))
    name = f"{MARK}{TURNED}"[:200].replace("/", "|")
    graph = do_store_graph(sample, "model.py")
    text = TaskText(ALL[:190], ALL[:480], f"{ALL}\n\n[link]({URL})\n\n<svg onload=window.pwned=1>\n\n{LONG}")
    do_store_task(SLUG, text, [(name, graph)], {"A.py": MARK}, "imported")
    Graph.objects.filter(pk=graph.pk).update(warnings=[ALL, LONG])
    texts = {"title": text.title, "summary": text.summary, "description": text.description}
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>window.pwned=1</script>{MARK}</svg>'
    )
    Task.objects.filter(slug=SLUG).update(
        thumbnail=drawing, operators=[{"label": MARK, "class": MARK}], dtypes=[MARK], **texts
    )
    task = Task.objects.get(slug=SLUG)
    author = Author.objects.get(user__isnull=False)
    files = {"A.py": "x = 1\n", "sorted_output_pass_rule_names.json": '["A"]'}
    do_save_draft(author, task, files, 0)
    odd = {f"{MARK[:150]}.py": MARK, f"{TURNED}.py": ALL, f"{LONG[:300]}.py": LONG, **files}
    Draft.objects.filter(task=task).update(files=odd)
    with transaction.atomic():  # claimed before the worker hears of it
        run = runs.do_request_run(author, task, files, "cpu")
        claim = claims.do_claim_run(str(run.pk), "w")
    assert claim is not None
    claims.do_start_run(claim, MARK)
    result = {
        "matches": 0,
        "status": "runtime_fail",
        "reason": MARK,
        "mismatch": None,
        "first_t": None,
        "launches": {"eager": 3, "candidate": None},
        "speedup": None,
        "message": f"{ALL} {LONG}",
    }
    findings = [
        {
            "class": MARK,
            "severity": "violation",
            "file": f"{TURNED}.py",
            "line": 1,
            "evidence": f"{ALL} {LONG}",
            "check": MARK,
        },
        {"class": "network", "severity": MARK, "file": MARK, "line": -5, "evidence": MARK},
    ]
    miss = {
        "pass_name": ALL,
        "kind": MARK,
        "message": ALL,
        "suggestion": f"{MARK} {LONG}",
        "pattern_node": MARK,
        "pattern_code": f"{MARK} {LONG}",
        "graph_node": "tmp_1",
        "graph_code": MARK,
        "differences": [{"argument": MARK, "expected": ALL, "found": LONG}],
        "leaks": [{"node": MARK, "pattern_node": MARK, "users": [MARK, LONG]}],
        "matched": [[MARK, "tmp_1"]],
        "pattern_size": 2,
    }
    versions = {"python": MARK, "torch": TURNED, MARK: LONG}
    claims.do_append_events(
        claim,
        [
            ("run_started", {"device": MARK, "profile": MARK, "versions": versions, "graphs": [name], "limits": {}}),
            ("static_check", {"findings": 2, "verdict": "violation"}),
            ("loaded", {"passes": [MARK, LONG], "seconds": 0.1}),
            *(("log", {"stream": "stdout", "text": line}) for line in (ALL, LONG, "\u202e" + MARK, "\r\n" * 50)),
            ("log", {"stream": MARK, "text": MARK}),
            ("graph_started", {"graph": name, "index": 0, "total": 1}),
            (
                "matched",
                {
                    "graph": name,
                    "matches": 0,
                    "per_pass": {MARK: 0},
                    "nodes": [],
                    "near_misses": [miss],
                    "notes": [ALL],
                },
            ),
            *(("finding", finding) for finding in findings),
            ("graph_done", {"graph": name, "seconds": 0.1, **result}),
            (MARK[:40], {MARK: MARK}),
            (
                "run_done",
                {
                    "verdict": "violation",
                    "graphs": {name: result},
                    "findings": findings,
                    "es_t": None,
                    "aggregate_score": None,
                    "device": MARK,
                    "versions": versions,
                    "seconds": 0.1,
                },
            ),
        ],
    )
    claims.do_finish_run(claim, {"verdict": "violation", "graphs": {name: result}, "findings": findings})
    Run.objects.filter(pk=run.pk).update(message=ALL, token=F("token") + 1)
    Revision.objects.filter(pk=run.revision_id).update(files=odd)
    RunReview.objects.create(run=run, reviewer=author, before="clean", verdict="violation", reason=f"{ALL} {LONG}")
    Run.objects.filter(pk=run.pk).update(reviewed_verdict="suspicious")


if __name__ == "__main__":
    main()
