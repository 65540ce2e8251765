"""Sample and task folders for tests."""

import hashlib
import json
from pathlib import Path

MODEL = """\
import torch

class GraphModule(torch.nn.Module):
    def forward(self, in_0):
        tmp_0 = torch.relu(in_0);  in_0 = None
        return (tmp_0,)
"""
META = (
    'class A:\n\tname = "in_0"\n\tshape = [2]\n\tdtype = "torch.float32"\n\tdevice = "cpu"\n\tmean = 0.0\n\tstd = 1.0\n'
)


def make_sample(folder: Path, **files: str | bytes | None) -> Path:
    """A sound sample; a file given as `name_ext` replaces or adds one, None leaves it out."""
    content: dict[str, str | bytes | None] = {
        "model.py": MODEL,
        "weight_meta.py": META,
        "input_meta.py": "",
        "graph_net.json": json.dumps({"framework": "torch", "model_name": "small", "extra": [1]}),
        "graph_hash.txt": hashlib.sha256(MODEL.encode()).hexdigest(),
    }
    for name, text in files.items():
        stem, _, extension = name.rpartition("_")
        content[f"{stem}.{extension}"] = text
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in content.items():
        if text is not None:
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def make_task(
    folder: Path, listing: str = "graphs/one\ngraphs/two\n", graphs: tuple[str, ...] = ("one", "two")
) -> Path:
    for name in graphs:
        make_sample(folder / "graphs" / name)
    (folder / "graph_list.txt").write_text(listing, newline="")
    return folder
