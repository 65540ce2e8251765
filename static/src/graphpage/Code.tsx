/** model.py, linked line for line with the drawing. */

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Message } from "../frame/Message";
import { drawing } from "../graph/drawing";
import { saveBlob } from "../lib/save";

export function Code() {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => void import("../dock/SourceView").then((module) => setView(() => module.default)), []);
  const now = drawing.value;
  const source = now.status === "ready" ? now.value.source : null;
  return (
    <section class="pane pane-code" data-pane="code" aria-label="Code" tabIndex={-1}>
      <header class="pane-bar">
        <span class="pane-title">model.py</span>
        <span class="faint">linked with the graph</span>
        <span class="spring" />
        {source !== null && <button class="link" title="The file, byte by byte as it was captured" onClick={() => saveBlob("model.py", new Blob([source], { type: "text/x-python" }))}>Download</button>}
      </header>
      <div class="pane-body">
        {now.status === "failed" ? (
          <Message title="No code yet">model.py comes with the drawing, which could not be loaded.</Message>
        ) : View === null || source === null ? (
          <div class="editor-skeleton" aria-busy="true" role="status" aria-label="Loading the code">{[30, 52, 61, 47, 55].map((width, index) => <i key={index} style={{ width: `${width}%` }} />)}</div>
        ) : (
          <View />
        )}
      </div>
    </section>
  );
}
