import { describe, expect, it } from "vitest";
import { diamond } from "../__fixtures__/graphs";
import { buildScene, midpoint, nodeAt, stubAt, stubEnds, union, visibleEdges, visibleNodes } from "./scene";
import { fit, MAX_ZOOM, opening, panBy, reveal, toScreen, toWorld, zoomAt } from "./viewport";

describe("viewport", () => {
  const view = { x: 10, y: 20, zoom: 2 };

  it("maps world and screen to each other", () => {
    expect(toScreen(view, 15, 30)).toEqual({ x: 10, y: 20 });
    expect(toWorld(view, 10, 20)).toEqual({ x: 15, y: 30 });
  });

  it("keeps the point under the pointer while zooming, within limits", () => {
    const zoomed = zoomAt(view, 10, 20, 1.5);
    expect(zoomed.zoom).toBe(3);
    expect(toScreen(zoomed, 15, 30).x).toBeCloseTo(10);
    expect(toScreen(zoomed, 15, 30).y).toBeCloseTo(20);
    expect(zoomAt(view, 0, 0, 1000).zoom).toBe(MAX_ZOOM);
  });

  it("pans by screen pixels", () => {
    expect(panBy(view, 10, -4)).toEqual({ x: 5, y: 22, zoom: 2 });
  });

  it("fits a tall graph by its height and centres it; does not blow up a small one", () => {
    const tall = fit({ x: 0, y: 0, w: 100, h: 1000 }, 400, 548, 24);
    expect(tall.zoom).toBe(0.5);
    expect(toScreen(tall, 50, 500)).toEqual({ x: 200, y: 274 });
    expect(fit({ x: 0, y: 0, w: 10, h: 10 }, 400, 400).zoom).toBe(1.15);
  });

  it("opens a tall graph at its top, at a size that can be read", () => {
    expect(opening({ x: 0, y: 0, w: 100, h: 200 }, { x: 0, y: 0, w: 100, h: 28 }, 400, 548, 0.3).whole).toBe(true);
    const { view, whole } = opening({ x: 0, y: 0, w: 400, h: 90_000 }, { x: 300, y: 0, w: 100, h: 28 }, 448, 500, 0.3);
    expect(whole).toBe(false);
    expect(view.zoom).toBe(0.9);
    expect(toScreen(view, 200, 0).x).toBeCloseTo(224);
    expect(toScreen(view, 200, 0).y).toBeCloseTo(24);
  });

  it("opens a wide graph at its first nodes, never below the readable zoom", () => {
    const wide = { x: 0, y: 0, w: 6000, h: 400 };
    const narrowTop = opening(wide, { x: 2900, y: 0, w: 200, h: 28 }, 400, 500, 0.6).view;
    expect(narrowTop.zoom).toBe(0.9);
    expect(toScreen(narrowTop, 3000, 0).x).toBeCloseTo(200);
    const wideTop = opening(wide, { x: 50, y: 0, w: 5900, h: 28 }, 400, 500, 0.6).view;
    expect(toScreen(wideTop, 50, 0).x).toBeCloseTo(24);
    expect(opening({ x: 0, y: 0, w: 500, h: 4000 }, { x: 0, y: 0, w: 500, h: 28 }, 398, 500, 0.6).view.zoom).toBeCloseTo(0.7);
  });

  it("reveals by the smallest move", () => {
    const still = { x: 0, y: 0, zoom: 1 };
    expect(reveal(still, { x: 100, y: 100, w: 50, h: 20 }, 400, 400)).toEqual(still);
    expect(reveal(still, { x: 100, y: 500, w: 50, h: 20 }, 400, 400)).toEqual({ x: 0, y: 152, zoom: 1 });
    expect(reveal(still, { x: -80, y: 100, w: 50, h: 20 }, 400, 400)).toEqual({ x: -112, y: 0, zoom: 1 });
  });
});

describe("scene", () => {
  const scene = buildScene(diamond());

  it("bounds nodes and edges", () => {
    expect(scene.bounds).toEqual({ x: 0, y: 0, w: 220, h: 224 });
    expect(union([])).toEqual({ x: 0, y: 0, w: 0, h: 0 });
  });

  it("hits the node under a point, with slack for fingers", () => {
    expect(nodeAt(scene, 100, 10)?.name).toBe("top");
    expect(nodeAt(scene, 1, 111)?.name).toBe("left");
    expect(nodeAt(scene, 110, 60)).toBeNull();
    expect(nodeAt(scene, 100, 27, 4)?.name).toBe("top");
  });

  it("culls what is out of sight", () => {
    const area = { x: 0, y: 90, w: 90, h: 60 };
    expect(visibleNodes(scene, area).map((node) => node.name)).toEqual(["left"]);
    expect(visibleEdges(scene, area).map(({ edge }) => `${edge.source}>${edge.target}`)).toEqual(["top>left", "left>bottom"]);
  });

  it("draws a long edge as two stubs that jump to each other's node", () => {
    const long = scene.edges.find(({ edge }) => edge.stub)!.edge;
    const [out, into] = stubEnds(scene.byName, long);
    expect([out!.jump, into!.jump]).toEqual(["bottom", "top"]);
    expect(stubAt(scene, out!.label.x + 1, out!.label.y + 1)).toBe("bottom");
    expect(stubAt(scene, 0, 0)).toBeNull();
  });

  it("puts an edge's label half way along it", () => {
    expect(midpoint([[0, 0], [0, 10], [30, 10]])).toEqual([10, 10]);
    expect(midpoint([[0, 0]])).toBeNull();
  });
});
