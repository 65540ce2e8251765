import { describe, expect, it } from "vitest";
import { decodeLayout, DEFAULT_LAYOUT, encodeLayout, gridColumns, isLayout, resizeColumns, resizeDock, toggleCollapsed, toggleMaximised, withPane } from "./layout";

const even = { ...DEFAULT_LAYOUT, columns: [1, 1, 2] as [number, number, number] };

describe("layout", () => {
  it("moves a border between two neighbours only, down to a minimum", () => {
    expect(resizeColumns(even, 0, 0.05).columns).toEqual([30, 20, 50]);
    expect(resizeColumns(even, 1, -0.5).columns).toEqual([25, 12, 63]);
    expect(resizeColumns(even, 0, -1).columns).toEqual([12, 38, 50]);
  });

  it("keeps the dock within bounds", () => {
    expect(resizeDock({ ...even, dock: 30 }, 0.1).dock).toBe(20);
    expect(resizeDock({ ...even, dock: 30 }, -1).dock).toBe(80);
  });

  it("keeps one column open", () => {
    const two = toggleCollapsed(toggleCollapsed(even, "graph"), "pass");
    expect(two.collapsed).toEqual(["graph", "pass"]);
    expect(toggleCollapsed(two, "verdict")).toBe(two);
    expect(gridColumns(two)).toBe("28px 1px 28px 1px minmax(0, 2.000fr)");
    expect(toggleCollapsed(two, "graph").collapsed).toEqual(["pass"]);
  });

  it("brings a pane into sight, whatever hides it", () => {
    const hidden = { ...even, collapsed: ["code" as const], maximised: "graph" as const };
    expect(withPane(hidden, "log")).toMatchObject({ dockTab: "log", tab: "log", maximised: null, collapsed: [] });
    expect(toggleMaximised(toggleMaximised(even, "pass"), "pass").maximised).toBeNull();
  });

  it("knows its own saved form and nothing else", () => {
    expect(isLayout(JSON.parse(JSON.stringify(even)))).toBe(true);
    for (const value of [null, {}, { ...even, columns: [1, -1, 1] }, { ...even, tab: "sky" }]) expect(isLayout(value)).toBe(false);
  });

  it("travels in an address, unless it is what everybody starts with", () => {
    expect(encodeLayout(DEFAULT_LAYOUT)).toBeNull();
    const text = encodeLayout({ ...even, collapsed: ["pass", "code"], maximised: "graph", dockTab: "log" });
    expect(text).toBe("25-25-50_30_56_code.pass_graph_log");
    expect(decodeLayout(text)).toMatchObject({ columns: [25, 25, 50], collapsed: ["code", "pass"], maximised: "graph", dockTab: "log" });
  });

  it("takes no nonsense from an address", () => {
    for (const text of [null, "", "x", "1-2_30_56___log", "25-25-50_30_56__sky_log", "25-25-50_99_56___log", "25-25-50_30_56_graph.pass.verdict__log", "0-0-0_30_56___log"]) expect(decodeLayout(text)).toBeNull();
  });
});
