/** model.py of the graph in view, line for line linked with the drawing. */

import { computed } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Message } from "../frame/Message";
import { Pane } from "../frame/Pane";
import { drawing } from "../graph/drawing";
import { graphName, side } from "../workbench/session";

/** What the code pane shows; null while there is nothing to show. */
export const shownSource = computed(() => {
  const now = drawing.value;
  if (now.status !== "ready") return null;
  return { key: `${side.value}/${graphName.value}`, source: now.value.source, nodes: now.value.nodes };
});

export function CodePane() {
  const [View, setView] = useState<ComponentType | null>(null);
  useEffect(() => {
    // After the pass editor: both need Monaco, the pass is what the author waits for.
    void import("./SourceView").then((module) => setView(() => module.default));
  }, []);
  const now = drawing.value;
  const title = side.value === "before" ? "model.py" : "model.py, rewritten";
  return (
    <Pane id="code" label="Code" bar={<><span class="pane-title">{title}</span><span class="faint">{graphName.value ?? ""}</span><span class="spring" /><span class="faint hint">linked with the graph</span></>}>
      {now.status === "absent" ? (
        <Message title="No rewritten code">{now.message}</Message>
      ) : now.status === "failed" ? (
        <Message title="No code yet">model.py comes with the graph, which could not be loaded.</Message>
      ) : View === null || now.status === "loading" ? (
        <div class="editor-skeleton" aria-busy="true" role="status" aria-label="Loading the code">{[30, 52, 61, 47, 55].map((width, index) => <i key={index} style={{ width: `${width}%` }} />)}</div>
      ) : (
        <View />
      )}
    </Pane>
  );
}

