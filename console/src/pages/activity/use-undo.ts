import { useQueryClient } from "@tanstack/react-query";
import type { AgentClient, Change } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { toast } from "../../lib/toasts.ts";
import { texts } from "../../texts/texts.ts";
import { useForget } from "../memories/use-forget.ts";
import { storeAgain } from "../memories/use-restore.ts";

const UNDOABLE = new Set(["file.created", "file.changed", "file.deleted", "fact.stored", "fact.superseded"]);

/** Returns whether a change of this kind can be undone. */
export function isUndoable(kind: string): boolean {
  return UNDOABLE.has(kind);
}

/**
 * Returns a function that undoes a change: a file gets the text that it had before, a replaced fact
 * holds again, and a new fact is forgotten, which itself can be taken back for ten seconds.
 */
export function useUndo(agent: string): (change: Change) => Promise<void> {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const forget = useForget(agent);
  return async (change) => {
    try {
      if (change.kind === "fact.stored" && change.before === undefined) {
        const fact = await factOf(memory, change);
        if (fact) forget([fact.fact]);
        return;
      }
      const done = change.kind.startsWith("file.") ? await undoFile(memory, change) : await undoFact(memory, change);
      toast(done ? texts.activityLog.undone : texts.activityLog.notUndone, { failed: !done });
      await queries.invalidateQueries();
    } catch (error) {
      toast(messageOf(error), { failed: true });
    }
  };
}

/** Undoes a change of a file, unless the file was changed again since it was shown. */
async function undoFile(memory: AgentClient, { kind, path, at }: Change): Promise<boolean> {
  const { current, versions } = await memory.files.history(path, { limit: 1000 });
  if (kind === "file.created") {
    if (!current || versions.some(({ endedAt }) => Date.parse(endedAt) > Date.parse(at))) return false;
    await memory.files.delete(path, { ifMatch: current.hash });
    return true;
  }
  const replaced = versions.find(({ endedAt }) => Date.parse(endedAt) === Date.parse(at));
  if (!replaced) return false;
  await memory.files.restore(replaced.version, current ? { ifMatch: current.hash } : { ifNoneMatch: "*" });
  return true;
}

async function undoFact(memory: AgentClient, change: Change): Promise<boolean> {
  const found = await factOf(memory, change);
  if (!found) return false;
  // The change is listed by its new fact, or by the one that ended.
  const former = found.versions.find(({ text, validTo }) => text === change.before && validTo) ?? found.fact;
  await storeAgain(memory, former, found.versions);
  return true;
}

async function factOf(memory: AgentClient, { path }: Change) {
  const id = path.split("/").at(-1) ?? "";
  const { facts: versions } = await memory.facts.history(id);
  const fact = versions.find((one) => one.id === id);
  return fact && { fact, versions };
}
