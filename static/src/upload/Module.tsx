/** The text of a module, captured in a process that is shut in. The text stays, whatever becomes of it. */

import { keyLabel } from "../lib/keys";
import { draft, sending, sendModule, setDraft } from "./store";

const EXAMPLE = `import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.proj = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.proj(self.norm(x)))


def make():
    return Block(64), (torch.randn(8, 64),)
`;

export function Module() {
  const { title, text } = draft.value;
  const ready = text.trim() !== "" && sending.value === "";
  return (
    <section class="upload-module" aria-label="A module">
      <h2>A module</h2>
      <p>
        Python with a function <code>make()</code> that returns <code>(module, inputs)</code>: inputs in a tuple go by position, in a dict by keyword. Or one class of a <code>torch.nn.Module</code>, made without arguments, that has <code>example_inputs</code>.
      </p>
      <p class="upload-title">
        <label for="module-title">Name</label>
        <input id="module-title" type="text" maxLength={200} value={title} spellcheck={false} placeholder="Residual block" onInput={(event) => setDraft({ title: event.currentTarget.value })} />
        <button class="primary" disabled={!ready} onClick={() => void sendModule()}>Capture <kbd>{keyLabel("mod+enter")}</kbd></button>
        {text.trim() === "" && <button class="link" onClick={() => setDraft({ title: title || "Residual block", text: EXAMPLE })}>Start from an example</button>}
      </p>
      <textarea
        id="module-text" class="mono" aria-label="Text of the module" spellcheck={false} rows={18} value={text}
        onInput={(event) => setDraft({ text: event.currentTarget.value })}
      />
      <p class="faint">It runs once, for inference, in a process without network and with none of our files: 120 s, 2 GB. Each of its graphs becomes a task that everybody here sees and you own. torch and what is installed beside it are there; nothing is downloaded.</p>
    </section>
  );
}

/** Puts the caret on a line of the text, counted from 1. */
export function showLine(line: number): void {
  const field = document.getElementById("module-text") as HTMLTextAreaElement | null;
  if (field === null) return;
  const lines = field.value.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  field.focus();
  field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
}
