import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LocatedModel } from "./locate-model.ts";
import { buildMinilmGraph, MINILM_GRAPH_VERSION } from "./minilm-graph.ts";
import { INT8_VERSION, quantiseGraph } from "./quantise-graph.ts";

/**
 * Opens a model's graph: its file as it is; or the one that was made of its weights, from the cache, else anew, at the first
 * start or when a full disk or a crash cut the file off.
 *
 * @param located whose files are known to be the right ones
 */
export async function openGraph<T>(
  located: LocatedModel,
  cacheDir: string,
  open: (graph: string | Uint8Array) => Promise<T>,
): Promise<T> {
  const { model, weightsPath } = located;
  if (model.format === "onnx" && !model.int8) return open(weightsPath);
  const path = join(cacheDir, cachedName(located));
  if (existsSync(path)) {
    const opened = await open(path).catch(() => undefined);
    if (opened) return opened;
  }
  const graph = makeGraph(located);
  saveGraph(path, graph);
  return open(graph);
}

function makeGraph({ model, weightsPath }: LocatedModel): Uint8Array {
  const graph = model.format === "minilm" ? buildMinilmGraph(weightsPath) : readFileSync(weightsPath);
  return model.int8 ? quantiseGraph(graph) : graph;
}

/** Other weights must never be answered from an older graph: their vectors would look right and mean something else. */
function cachedName({ model }: LocatedModel): string {
  const versions = [
    ...(model.format === "minilm" ? [MINILM_GRAPH_VERSION] : []),
    ...(model.int8 ? [INT8_VERSION] : []),
  ].join(".");
  return `${model.folder}-${model.int8 ? "int8" : "fp32"}-v${versions}-${model.weights.sha256.slice(0, 8)}.onnx`;
}

/** Keeps the graph for the next start, if it can: on a read-only disk every start makes its own. */
function saveGraph(path: string, graph: Uint8Array): void {
  // Several embedders may start at once, also in one process: each writes its own file, and the last rename wins with
  // equal content.
  const temporary = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    try {
      // Without the flush a power failure may leave the final name on zeros, a graph that opens and embeds nonsense.
      writeFileSync(temporary, graph, { flush: true });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // The graph in memory serves as well.
  }
}
