import { createTaskPool } from "../../base/task-pool.ts";
import { type RemoteFile, remoteFiles } from "../../cli/folder/compare-files.ts";
import { BATCH_BYTES, BATCH_FILES, IN_FLIGHT } from "../../cli/folder/send-changes.ts";
import { type LocalFile, textProblem } from "../../cli/folder/walk-folder.ts";
import { importConversation } from "./import-conversation.ts";
import { createFactImporter } from "./import-facts.ts";
import { importFiles } from "./import-files.ts";
import type { Item } from "./import-kind.ts";
import { type ImportReport, leave, skip } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";

export interface Importer {
  /**
   * Takes an item. Waits while enough requests are in progress.
   *
   * @throws the error of a request that failed
   */
  take(item: Item): Promise<void>;
  /** Resolves when all items are imported. @throws as `take` */
  finish(): Promise<void>;
  /** Resolves when no request is in progress, whether or not a request failed. */
  settle(): Promise<void>;
  /** Returns whether the agent searches the appended messages. */
  isSearched(): boolean;
}

/** Creates an importer that writes items to an agent's memory, a few at a time, and counts them. */
export function createImporter(target: ImportTarget, report: ImportReport): Importer {
  const { memory, prefix, maxFileBytes } = target;
  const pool = createTaskPool();
  const start = async (task: () => Promise<void>) => {
    await pool.room(IN_FLIGHT);
    pool.start(task);
  };
  const facts = createFactImporter(target, start, report);
  let files: LocalFile[] = [];
  let known: Map<string, RemoteFile> | undefined;
  let searched = true;
  const sendFiles = async () => {
    const batch = files;
    files = [];
    if (batch.length === 0) return;
    known ??= await remoteFiles(memory, prefix);
    await importFiles({ ...target, known }, batch, report);
  };
  const takeFile = async (file: LocalFile) => {
    const problem = file.content && (await textProblem(file.content, maxFileBytes));
    const isTwice = files.some(({ path }) => path === file.path);
    if (problem !== undefined || isTwice) return skip(report, file.path, problem ?? "another file has this name");
    files.push(file);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (files.length === BATCH_FILES || bytes > BATCH_BYTES) await sendFiles();
  };
  return {
    take: async (item) => {
      if ("left" in item) leave(report, item.left);
      else if ("bad" in item) skip(report, item.place, item.bad);
      else if ("file" in item) await takeFile(item.file);
      else if ("fact" in item)
        await facts.add({ ...(target.scope && { scope: target.scope }), ...item.fact }, item.place);
      else
        await start(async () => {
          const { indexing } = await importConversation(target, item.conversation, report);
          if (indexing === "off") searched = false;
        });
    },
    finish: async () => {
      await facts.finish();
      await sendFiles();
      await pool.drain();
      // Throws the error of a request that failed in the meantime.
      await pool.room(IN_FLIGHT);
    },
    settle: () => pool.drain(),
    isSearched: () => searched,
  };
}
