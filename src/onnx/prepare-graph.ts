import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../base/make-folder.ts";
import type { LocatedModel } from "./locate-model.ts";
import { buildMinilmGraph, MINILM_GRAPH_VERSION } from "./minilm-graph.ts";
import { INT8_VERSION, quantiseGraph } from "./quantise-graph.ts";

/**
 * Opens a model's graph: its own file, or a graph made from its weights. A made graph is cached. It
 * is made again when the cached file is missing, or was cut off by a full disk or a crash.
 *
 * @param located a model whose files are verified
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

/**
 * Returns the name of the cached graph. It names the versions and the weights, because a graph of
 * other weights would give vectors that look right but mean something else.
 */
function cachedName({ model }: LocatedModel): string {
  const versions = [
    ...(model.format === "minilm" ? [MINILM_GRAPH_VERSION] : []),
    ...(model.int8 ? [INT8_VERSION] : []),
  ].join(".");
  return `${model.folder}-${model.int8 ? "int8" : "fp32"}-v${versions}-${model.weights.sha256.slice(0, 8)}.onnx`;
}

/**
 * Saves the graph for the next start if the disk is writable. Otherwise every start makes the graph
 * again.
 */
function saveGraph(path: string, graph: Uint8Array): void {
  // Several embedders may start at once, also in one process. Each writes its own file, and the
  // last rename wins with the same content.
  const temporary = `${path}.${randomUUID()}`;
  try {
    makeFolder(dirname(path));
    try {
      // Without the flush, a power failure may leave zeros under the final name: a graph that opens
      // and gives useless vectors.
      writeFileSync(temporary, graph, { flush: true });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // The graph in memory is used instead.
  }
}
