import { compareFiles, conflictReason, type RemoteFile } from "../../cli/folder/compare-files.ts";
import { sendChanges } from "../../cli/folder/send-changes.ts";
import type { LocalFile } from "../../cli/folder/walk-folder.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { type ImportReport, skip } from "./import-report.ts";

export interface FileTarget {
  memory: AgentClient;
  dryRun: boolean;
  /** The name that marks files as the source's own. */
  origin: string;
  /** The files on the server, by path. */
  known: Map<string, RemoteFile>;
  maxFileBytes: number;
}

/**
 * Sends files that the agent does not have, and files that this source has sent before with other
 * content. Files of others stay unchanged, and nothing is deleted.
 *
 * @throws RecollectError when the service cannot be reached, or refuses for a reason that concerns
 * more than a single file
 */
export async function importFiles(
  { memory, dryRun, origin, known, maxFileBytes }: FileTarget,
  files: readonly LocalFile[],
  report: ImportReport,
): Promise<void> {
  const owner = { origin, takeOver: false };
  const changes = compareFiles(
    { files: [...files], skipped: [], failed: [], leftOut: [], otherKinds: {} },
    known,
    owner,
  );
  const { changed, adopted, conflicts } = changes;
  const counts = report.files;
  counts.found += files.length;
  counts.known += files.length - changed.length - conflicts.length;
  for (const file of conflicts) skip(report, file.path, conflictReason(file.origin));
  const isThere = new Set(changed.map(({ path }) => path).filter((path) => known.has(path)));
  const left = new Set<string>();
  if (!dryRun) {
    const target = { ...owner, memory, maxFileBytes, known };
    const sent = await sendChanges(target, { changed, adopted, gone: [] });
    for (const { path, reason } of [...sent.refused, ...sent.unread]) {
      skip(report, path, reason);
      left.add(path);
    }
  }
  for (const { path } of changed) if (!left.has(path)) counts[isThere.has(path) ? "changed" : "new"]++;
}
