/** Between nodes of a graph and places in its source. Spans have 1-based lines and 0-based UTF-16 columns; Monaco's columns are 1-based. */

import type { GraphNode, Span } from "./types";

/** Monaco's range form, written out so that this file needs no Monaco. */
export interface TextRange {
  startLineNumber: number;
  startColumn: number;
  endLineNumber: number;
  endColumn: number;
}

export function rangeOf(span: Span): TextRange {
  return { startLineNumber: span.line, startColumn: span.column + 1, endLineNumber: span.end_line, endColumn: span.end_column + 1 };
}

function holds(span: Span, line: number, column: number): boolean {
  if (line < span.line || line > span.end_line) return false;
  if (line === span.line && column < span.column) return false;
  return !(line === span.end_line && column > span.end_column);
}

/** Size of a span for comparison only: lines weigh more than any column. */
function size(span: Span): number {
  return (span.end_line - span.line) * 1e6 + (span.end_column - span.column);
}

/**
 * The node that a place in the source belongs to: the innermost whose span holds it, else the widest of that line
 * (the caret stands in the indentation, or on the name that is assigned). `column` is Monaco's, 1-based.
 */
export function nodeAtPosition(nodes: readonly GraphNode[], line: number, column: number): string | null {
  let inner: GraphNode | null = null;
  let outer: GraphNode | null = null;
  for (const node of nodes) {
    const span = node.span;
    if (span === null || line < span.line || line > span.end_line) continue;
    if (holds(span, line, column - 1) && (inner === null || size(span) < size(inner.span!))) inner = node;
    if (outer === null || size(span) > size(outer.span!)) outer = node;
  }
  return (inner ?? outer)?.name ?? null;
}

/** All nodes with a span on this line, outermost first. */
export function nodesOnLine(nodes: readonly GraphNode[], line: number): string[] {
  return nodes
    .filter((node) => node.span !== null && node.span.line <= line && line <= node.span.end_line)
    .sort((a, b) => size(b.span!) - size(a.span!))
    .map((node) => node.name);
}

/** All nodes that begin on one of these lines, in the order of the graph. */
export function nodesOnLines(nodes: readonly GraphNode[], first: number, last: number): string[] {
  return nodes.filter((node) => node.span !== null && first <= node.span.line && node.span.line <= last).map((node) => node.name);
}
