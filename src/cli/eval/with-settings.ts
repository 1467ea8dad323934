import { callApi } from "../shell/api-client.ts";
import type { Connection } from "../shell/context.ts";

type Tree = { [key: string]: unknown };

/**
 * Does something while agents have other settings, and gives each its own back, whatever happened meanwhile.
 *
 * @param patch a JSON merge patch of the settings
 */
export async function withSettings<T>(
  connection: Connection,
  agents: readonly string[],
  patch: Tree,
  work: () => Promise<T>,
): Promise<T> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const agent of agents) {
      const path = `/v1/agents/${encodeURIComponent(agent)}`;
      const { settings } = await callApi<{ settings: Tree }>(connection, "GET", path);
      // Before the change: it may arrive although its answer does not.
      undo.push(() => callApi(connection, "PATCH", path, { settings: inverse(patch, settings) }));
      await callApi(connection, "PATCH", path, { settings: patch });
    }
    return await work();
  } finally {
    for (const restore of undo) await restore();
  }
}

/** The merge patch that takes a patch back: what was there, and null for what was not. */
export function inverse(patch: Tree, before: Tree): Tree {
  return Object.fromEntries(
    Object.entries(patch).map(([key, value]) => {
      const old = before[key];
      return [key, isTree(value) && isTree(old) ? inverse(value, old) : (old ?? null)];
    }),
  );
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
