/** The drawing with its keyboard, its minimap, and the list of nodes that a screen reader reads instead. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { tensor } from "../format";
import { on } from "../lib/hub";
import { theme } from "../lib/theme";
import type { Look } from "./colouring";
import type { Marks } from "./marks";
import { Minimap } from "./Minimap";
import type { GraphJson } from "./types";
import { grow, shrink } from "./selection";
import { GraphView } from "./view";
import type { Viewport } from "./viewport";
import { next, step } from "./walk";

interface Props {
  /** Changes when another graph is shown; news about the same graph keep the view. */
  identity: string;
  graph: GraphJson;
  label: string;
  marks: Marks;
  look: Look;
  found: readonly string[];
  selected: ReadonlySet<string>;
  /** The node of the selection that the details are about. */
  focus: string | null;
  onSelect(name: string | null): void;
  onToggle(name: string): void;
  /** Opens or closes a repeated block. */
  onOpen(name: string): void;
  onAdd(names: readonly string[]): void;
  onSearch(): void;
  /** Of the list of nodes, where a page has several drawings. */
  nodesId?: string;
  /** Where another drawing has moved to: this one goes there too. */
  follow?: Viewport | null;
  /** This drawing was moved, by its reader. */
  onMoved?(view: Viewport): void;
}

const LISTED_NODES = 1000;
const MINIMAP_NODES = 24;

export function GraphCanvas(props: Props) {
  const { graph, identity, marks, look, found, selected, focus } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<GraphView | null>(null);
  const drawn = useRef("");
  const [viewport, setViewport] = useState<Viewport | null>(null);
  const nodesId = props.nodesId ?? "graph-nodes";
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const made = new GraphView(canvas.current!, {
      select: (name) => latest.current.onSelect(name), toggle: (name) => latest.current.onToggle(name),
      add: (names) => latest.current.onAdd(names), open: (name) => latest.current.onOpen(name),
      moved: (to) => {
        setViewport(to);
        latest.current.onMoved?.(to);
      },
    });
    view.current = made;
    const off = [on("fitGraph", () => made.fit()), on("revealNode", ({ node }) => requestAnimationFrame(() => made.reveal(node))), theme.subscribe(() => requestAnimationFrame(() => made.themeChanged()))];
    return () => {
      off.forEach((undo) => undo());
      made.destroy();
    };
  }, []);
  useEffect(() => {
    view.current?.setGraph(graph, drawn.current === identity);
    drawn.current = identity;
  }, [graph, identity]);
  useEffect(() => view.current?.setMarks(marks), [marks]);
  useEffect(() => view.current?.setLook(look), [look]);
  useEffect(() => view.current?.setFound(new Set(found)), [found.join(" ")]);
  useEffect(() => {
    if (props.follow) view.current?.follow(props.follow);
  }, [props.follow]);
  useEffect(() => view.current?.select(selected, focus), [[...selected].join(" "), focus, graph]);

  const key = (event: KeyboardEvent): void => {
    if (handleKey(event, view.current, latest.current)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const list = useMemo(() => <NodeList id={nodesId} graph={graph} marks={marks} />, [graph, marks, nodesId]);
  const chosen = graph.nodes.find((node) => node.name === focus);
  return (
    <div class="graph-canvas">
      <canvas
        ref={canvas} tabIndex={0} role="application" aria-roledescription="graph drawing" onKeyDown={key}
        aria-label={`${props.label}. Arrow keys walk along edges, with Control they add to the selection, Alt Up and Alt Down grow it, Alt Left shrinks it; N and P through all nodes, Control A selects all, F fits, slash searches.`}
        aria-describedby={nodesId}
      />
      {viewport !== null && (graph.nodes.length > MINIMAP_NODES || view.current?.showsAll === false) && (
        <Minimap graph={graph} viewport={viewport} size={view.current?.size ?? { width: 0, height: 0 }} selected={selected} onCentre={(x, y) => view.current?.centreOn(x, y)} />
      )}
      <span class="visually-hidden" aria-live="polite">
        {chosen && `${chosen.name}, ${chosen.label} ${tensor(chosen.shape, chosen.dtype)} ${marks.get(chosen.name)?.word ?? ""}`}
      </span>
      {list}
    </div>
  );
}

function NodeList({ id, graph, marks }: { id: string; graph: GraphJson; marks: Marks }) {
  return (
    <ol class="visually-hidden" id={id} aria-label="Nodes">
      {graph.nodes.slice(0, LISTED_NODES).map((node) => (
        <li key={node.name}>{`${node.name}: ${node.label} ${tensor(node.shape, node.dtype)} ${marks.get(node.name)?.word ?? ""}`}</li>
      ))}
      {graph.nodes.length > LISTED_NODES && <li>{`and ${graph.nodes.length - LISTED_NODES} more`}</li>}
    </ol>
  );
}

const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" } as const;
const PAN = 60;

function handleKey(event: KeyboardEvent, view: GraphView | null, { graph, focus, onSelect, onAdd, onOpen, onSearch }: Props): boolean {
  if (view === null) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // with Caps Lock, too
  const arrow = Object.hasOwn(ARROWS, event.key) ? ARROWS[event.key as keyof typeof ARROWS] : null;
  if (arrow !== null) {
    if (event.altKey) {
      if (arrow === "up") grow("producers");
      else if (arrow === "down") grow("consumers");
      else if (arrow === "left") shrink();
      return true;
    }
    if (event.shiftKey) {
      view.pan(arrow === "left" ? PAN : arrow === "right" ? -PAN : 0, arrow === "up" ? PAN : arrow === "down" ? -PAN : 0);
      return true;
    }
    const to = step(graph, focus, arrow);
    if (to === null) return true;
    if (event.ctrlKey || event.metaKey) onAdd([to]);
    else onSelect(to);
    return true;
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "a") {
    onAdd(graph.nodes.map((node) => node.name));
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (key) {
    case "f": view.fit(); return true;
    case "+": case "=": view.zoomBy(1.25); return true;
    case "-": view.zoomBy(0.8); return true;
    case "n": onSelect(next(graph, focus, 1)); return true;
    case "p": onSelect(next(graph, focus, -1)); return true;
    case "/": onSearch(); return true;
    case "Enter": if (focus !== null) onOpen(focus); return true;
    case "Escape": onSelect(null); return true;
    default: return false;
  }
}
