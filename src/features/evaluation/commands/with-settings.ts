import type { RecollectClient } from "../../../client/client.ts";

type Tree = { [key: string]: unknown };

/**
 * Runs work while agents have other settings, and then gives each agent its own settings back, even
 * if something failed meanwhile.
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
      // Registered before the change, because the change may arrive although its answer does not.
      undo.push(() => change(agent, { settings: inverse(patch, settings) }));
      await change(agent, { settings: patch });
    }
    return await work();
  } finally {
    for (const restore of undo) await restore();
  }
}

/** Returns the merge patch that undoes a patch: the old values, and null for keys that had none. */
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
