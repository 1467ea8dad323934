import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { fileUri } from "./file-resources.ts";

/** A change that a client may subscribe to. */
export type ResourceEvent = { kind: "resources_list_changed" } | { kind: "resource_updated"; uri: string };

/**
 * Yields the events of an agent's files as they change, until the signal is aborted or the feed ends:
 * one for each file that was written, and one for the list if files were created or deleted. Facts are
 * no resources.
 */
export async function* resourceEvents(memory: MemoryAccess, signal: AbortSignal): AsyncGenerator<ResourceEvent> {
  if (!memory.changes) return;
  for await (const page of memory.changes(signal)) {
    const kinds = new Set<string>();
    const updated = new Set<string>();
    for (const { kind, path } of page) {
      kinds.add(kind);
      if (kind.startsWith("file.")) updated.add(path);
    }
    for (const path of updated) yield { kind: "resource_updated", uri: fileUri(memory.agentId, path) };
    if (kinds.has("file.created") || kinds.has("file.deleted")) yield { kind: "resources_list_changed" };
  }
}
