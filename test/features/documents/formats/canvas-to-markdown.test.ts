import { describe, expect, test } from "vitest";
import { canvasToMarkdown } from "../../../../src/features/documents/formats/canvas-to-markdown.ts";

const read = (canvas: unknown) =>
  canvasToMarkdown(Buffer.from(typeof canvas === "string" ? canvas : JSON.stringify(canvas))).content;
const card = (id: string, more: object) => ({ id, type: "text", x: 0, y: 0, width: 100, height: 100, ...more });

describe("a canvas", () => {
  test("is read from top to bottom, group by group, with its connections", () => {
    const nodes = [
      card("c", { text: "Later card", y: 300 }),
      card("a", { text: "# The plan\nRepair the roof in May." }),
      card("b", { type: "file", file: "notes/roof.md", subpath: "#Tiles", x: 200 }),
      card("l", { type: "link", url: "https://example.org/tiles", y: 400 }),
      card("g", { type: "group", label: "Garden", x: 1000, y: 0, width: 500, height: 500 }),
      card("i", { text: "Plant the quince.", x: 1100, y: 50 }),
    ];
    const edges = [
      { id: "e1", fromNode: "a", toNode: "b", label: "needs" },
      { id: "e2", fromNode: "i", toNode: "a" },
      { id: "e3", fromNode: "i", toNode: "none" },
    ];
    expect(read({ nodes, edges })).toBe(`# The plan
Repair the roof in May.

[[notes/roof.md#Tiles]]

Later card

https://example.org/tiles

## Garden

Plant the quince.

## Connections

- The plan → [[notes/roof.md#Tiles]]: needs
- Plant the quince. → The plan
`);
  });

  test("of another program is read as far as it can be", () => {
    expect(read({ nodes: [{ id: "1", type: "sticky", text: "A sticky note" }, null, 7, { type: "text" }] })).toBe(
      "A sticky note\n",
    );
    const odd = ["constructor", "toString", "__proto__"].map((type, n) => ({
      id: type,
      type,
      text: `Card ${n}`,
      y: n,
    }));
    expect(read({ nodes: odd })).toBe("Card 0\n\nCard 1\n\nCard 2\n");
  });

  test.each([
    ["an empty file", "", "no text"],
    ["no cards", {}, "no text"],
    ["cards without text", { nodes: [card("a", { text: "  " })] }, "no text"],
    ["no JSON", "not json", "damaged"],
    ["a list", [], "damaged"],
    ["much nesting", "[".repeat(1_000_000), "damaged"],
  ])("is refused with its reason: %s", (_, canvas, fault) => expect(() => read(canvas)).toThrow(fault));

  test("that is hostile takes no longer than others", () => {
    const nodes = Array.from({ length: 20_000 }, (_, n) => card(`${n}`, { type: n % 2 ? "group" : "text", text: "x" }));
    const long = card("long", { text: "y".repeat(1_000_000) });
    const edges = Array.from({ length: 50_000 }, () => ({ fromNode: "long", toNode: "long" }));
    const before = performance.now();
    try {
      read({ nodes: [...nodes, long], edges });
    } catch (error) {
      expect(String(error)).toContain("too large");
    }
    expect(performance.now() - before).toBeLessThan(3000);
  });
});
