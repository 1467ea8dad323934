import { describe, expect, test } from "vitest";
import { DATA_TYPE, GRAPH, initializer, model, node, value } from "../../src/onnx/onnx-format.ts";
import { block, type Part } from "../../src/onnx/protobuf.ts";
import { quantiseGraph } from "../../src/onnx/quantise-graph.ts";
import { loadNative } from "../../src/onnx/runtime.ts";

const { FLOAT, INT64 } = DATA_TYPE;
const ROWS = 2000;
const WIDTH = 48;

/** Returns numbers between -1 and 1 that look random and are the same each time. */
const noise = (count: number) => Float32Array.from({ length: count }, (_, i) => (Math.sin(i + 1) * 43_758.5453) % 1);

const graphOf = (nodes: Part[]) =>
  model([
    ...nodes,
    block(GRAPH.name, "test"),
    initializer("table", [ROWS, WIDTH], noise(ROWS * WIDTH)),
    initializer("weights", [WIDTH, WIDTH], noise(WIDTH * WIDTH)),
    value(GRAPH.input, "ids", INT64, ["batch", "length"]),
    value(GRAPH.output, "out", FLOAT, ["batch", "length", WIDTH]),
  ]);

async function outputs(graph: Uint8Array, ids: readonly number[][]): Promise<Float32Array> {
  const runtime = await loadNative(1);
  const session = await runtime.open(graph);
  const shape = [ids.length, ids[0]?.length ?? 0];
  const { out } = await session.run({ ids: runtime.int64(BigInt64Array.from(ids.flat(), BigInt), shape) });
  return out?.data as Float32Array;
}

const farthest = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] ?? 0))), 0);

describe("a graph with weights of eight bits", () => {
  const exact = graphOf([node("Gather", ["table", "ids"], "rows"), node("MatMul", ["rows", "weights"], "out")]);

  test("gives nearly the same numbers from a quarter of the bytes", async () => {
    const rounded = quantiseGraph(exact);
    expect(rounded.length).toBeLessThan(exact.length / 3.5);
    const ids = [[5, 17, 1999, 0]];
    const [a, b] = [await outputs(exact, ids), await outputs(rounded, ids)];
    expect(farthest(a, b)).toBeGreaterThan(0);
    // The numbers go up to about 5. Each is a sum of 48 products, each of which is a hundredth too
    // high or too low.
    expect(farthest(a, b)).toBeLessThan(0.15);
  });

  test("gives each row the same numbers bit by bit, whatever stands beside it", async () => {
    const rounded = quantiseGraph(exact);
    const together = await outputs(rounded, [
      [3, 4],
      [900, 901],
    ]);
    expect(await outputs(rounded, [[3, 4]])).toEqual(together.slice(0, 2 * WIDTH));
    expect(await outputs(rounded, [[901]])).toEqual(together.slice(3 * WIDTH));
  });

  test("keeps weights that something else needs too, and rounds those of two products once", async () => {
    const twice = graphOf([
      node("Gather", ["table", "ids"], "rows"),
      node("MatMul", ["rows", "weights"], "first"),
      node("MatMul", ["first", "weights"], "second"),
      node("Identity", ["weights"], "kept"),
      node("MatMul", ["second", "kept"], "out"),
    ]);
    const rounded = quantiseGraph(twice);
    const [a, b] = [await outputs(twice, [[8, 9]]), await outputs(rounded, [[8, 9]])];
    expect(farthest(a, b) / Math.max(...a.map(Math.abs))).toBeLessThan(0.1);
    expect(Buffer.from(rounded).toString("latin1").split("weights/int8/scale").length - 1).toBe(3);
  });

  test("rounds a table that is looked up in and multiplied with in both ways", async () => {
    const nodes = [
      node("Gather", ["square", "ids"], "rows"),
      node("MatMul", ["rows", "square"], "out"),
      initializer("square", [1200, 1200], noise(1200 * 1200)),
    ];
    const square = model([
      ...nodes,
      block(GRAPH.name, "tied"),
      value(GRAPH.input, "ids", INT64, ["batch", "length"]),
      value(GRAPH.output, "out", FLOAT, ["batch", "length", 1200]),
    ]);
    const [a, b] = [await outputs(square, [[8, 1100]]), await outputs(quantiseGraph(square), [[8, 1100]])];
    expect(farthest(a, b)).toBeGreaterThan(0);
    expect(farthest(a, b) / Math.max(...a.map(Math.abs))).toBeLessThan(0.05);
  });

  test("is refused where nothing can be rounded, or the bytes are no graph", () => {
    const empty = graphOf([node("Gather", ["small", "ids"], "out")]);
    expect(() => quantiseGraph(empty)).toThrow("no products");
    expect(() => quantiseGraph(Buffer.from("not a graph"))).toThrow();
    expect(() => quantiseGraph(exact.subarray(0, exact.length - 10))).toThrow(
      "The message ends in the middle of a field.",
    );
  });
});
