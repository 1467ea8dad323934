import type { RecollectClient } from "../../client/client.ts";

type Tree = { [key: string]: unknown };

/**
 * Does something while agents have other settings, and gives each its own back, whatever happened meanwhile.
 *
 * @param patch a JSON merge patch of the settings
 */
export async function withSettings<T>(
  { agents: { get, change } }: RecollectClient,
  agents: readonly string[],
  patch: Tree,
  work: () => Promise<T>,
): Promise<T> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const agent of agents) {
      const { settings } = await get(agent);
      // Before the change: it may arrive although its answer does not.
      undo.push(() => change(agent, { settings: inverse(patch, settings) }));
      await change(agent, { settings: patch });
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
