import { setTimeout as sleep } from "node:timers/promises";
import type { AgentClient } from "../../client/agent-client.ts";
import {
  type Changes,
  compareFiles,
  conflictReason,
  type OthersFile,
  type Owner,
  type RemoteFile,
  remoteFiles,
  requireOrigins,
  type Selection,
} from "./compare-files.ts";
import { sendChanges } from "./send-changes.ts";
import type { Refusal } from "./sending.ts";
import { type LocalFile, NO_SUCH_FILE, type SkippedFile, type Walk, walkFolder } from "./walk-folder.ts";
import { EVERYTHING, type Scope, scopeOf } from "./watch-scope.ts";

/**
 * The wait before a missing file is checked again. A file that is saved by moving another file into
 * its place is missing for a moment.
 */
const SECOND_LOOK_MS = 250;

export interface MirrorOptions {
  memory: AgentClient;
  /** The server's name in messages. */
  description: string;
  root: string;
  selection: Selection;
  /** The origin that the folder's files belong to. */
  owner: Owner;
}

export interface Look {
  /**
   * Paths below the root to look at. Each path includes everything below it; `""` is the whole
   * folder.
   */
  paths: ReadonlySet<string>;
  /** Whether to read the list of files from the server again. */
  fresh: boolean;
  /** Returns whether a path is changing at this moment. A look at such a path proves nothing. */
  isMoving(path: string): boolean;
}

export interface Mirrored {
  /** The number of the folder's own files that the agent now has. */
  files: number;
  sent: number;
  adopted: number;
  removed: number;
  chunks: number;
  toEmbed: number;
  /** The files that were left out, with the reason, unless an earlier look reported the same. */
  skipped: SkippedFile[];
  /** The files that failed, including files that others wrote with other content. */
  failed: SkippedFile[];
  /** Files with the same content that another folder has sent. */
  shared: readonly OthersFile[];
  /** Whether the folder has no files any more, so that the agent's files were kept. */
  kept: boolean;
  /** Paths below the root that must be looked at again. */
  again: string[];
}

/**
 * Keeps an agent's files of a folder equal to the folder, and leaves files of others unchanged.
 * Looks must run one after the other.
 */
export interface FolderMirror {
  /**
   * @throws RecollectError when the service cannot be reached, or refuses for a reason that
   * concerns more than a single file
   */
  look(look: Look): Promise<Mirrored>;
}

export function createFolderMirror({ memory, description, root, selection, owner }: MirrorOptions): FolderMirror {
  const { prefix, maxFileBytes, allowEmpty } = selection;
  /** The files on the server, by path. */
  let known = new Map<string, RemoteFile>();
  /** The files that the server refused, by path. The same content is not sent again. */
  const refused = new Map<string, Refusal>();
  const told = createMemo();
  let kept = false;

  const differences = (walk: Walk, scope: Scope): Changes => {
    const { changed, adopted, gone, ...rest } = compareFiles(walk, known, owner);
    const isNew = (file: LocalFile) => refused.get(file.path)?.hash !== file.hash;
    return {
      ...rest,
      changed: changed.filter(isNew),
      adopted: adopted.filter(isNew),
      gone: gone.filter(scope.covers),
    };
  };

  return {
    look: async (look) => {
      if (look.fresh) {
        await requireOrigins(memory, description);
        known = await remoteFiles(memory, prefix);
        refused.clear();
      }
      const whole = look.fresh || kept || look.paths.has("");
      const scope = whole ? EVERYTHING : scopeOf([...look.paths].map((path) => prefix + path));
      const walk = await walkFolder(root, { ...selection, wants: scope.wants });
      const { gone, conflicts, shared, ...changes } = differences(walk, scope);
      const believed = await secondLook(root, selection, gone, look);
      // An unmounted folder looks empty. It must not wipe a memory.
      kept =
        !allowEmpty && walk.files.length === 0 && believed.length > 0 && believed.length === countOwn(known, owner);
      const target = { memory, ...owner, maxFileBytes, known };
      const sent = await sendChanges(target, { ...changes, gone: kept ? [] : believed });
      for (const refusal of sent.refused) refused.set(refusal.path, refusal);
      const still = new Set(believed);
      const vanished = walk.failed.filter(hasVanished);
      const again = [
        ...[...sent.unread, ...vanished].map((file) => file.path),
        ...gone.filter((path) => !still.has(path)),
        ...(sent.removed > 0 ? retakeOverQuota(refused) : []),
      ];
      const unread = walk.failed.filter((file) => !hasVanished(file));
      const theirs = conflicts.map(({ path, origin }) => ({ path, reason: conflictReason(origin) }));
      const [untaken, others] = [true, false].map((isSkipped) =>
        sent.refused
          .filter((one) => (one.isSkipped ?? false) === isSkipped)
          .map(({ path, reason }) => ({ path, reason })),
      );
      const failed = [...unread, ...theirs, ...(others ?? [])];
      return {
        files: countOwn(known, owner),
        sent: sent.sent,
        adopted: sent.adopted,
        removed: sent.removed,
        chunks: sent.chunks,
        toEmbed: sent.toEmbed,
        shared,
        ...told(scope, [...walk.skipped, ...(untaken ?? [])], failed, (path) => refused.has(path)),
        kept,
        again: again.map((path) => (path === "./" ? "" : path.slice(prefix.length).replace(/\/$/, ""))),
      };
    },
  };
}

/** Looks at missing files again after a moment. @returns the paths that are still missing */
async function secondLook(
  root: string,
  selection: Selection,
  gone: readonly string[],
  { isMoving }: Look,
): Promise<readonly string[]> {
  if (gone.length === 0) return gone;
  await sleep(SECOND_LOOK_MS);
  const walk = await walkFolder(root, { ...selection, wants: scopeOf(gone).wants });
  const before = new Map(gone.map((path) => [path, { hash: "", origin: "" }]));
  const still = compareFiles(walk, before, { origin: "", takeOver: false }).gone;
  return still.filter((path) => !isMoving(path.slice(selection.prefix.length)));
}

function countOwn(known: ReadonlyMap<string, RemoteFile>, { origin }: Owner): number {
  return [...known.values()].filter((file) => file.origin === origin).length;
}

/**
 * Returns whether a file was listed but no longer existed when it was read. Another look finds out
 * what became of it.
 */
function hasVanished({ reason }: SkippedFile): boolean {
  return reason === NO_SUCH_FILE;
}

/**
 * Removes the refusals for a full quota, because a deletion may have made room.
 *
 * @returns the paths of these refusals
 */
function retakeOverQuota(refused: Map<string, Refusal>): string[] {
  const paths = [...refused.values()].filter((refusal) => refusal.overQuota).map((refusal) => refusal.path);
  for (const path of paths) refused.delete(path);
  return paths;
}

type Tell = (
  scope: Scope,
  skipped: readonly SkippedFile[],
  failed: readonly SkippedFile[],
  lasts: (path: string) => boolean,
) => { skipped: SkippedFile[]; failed: SkippedFile[] };

/** Remembers the last message about each file, so that an unchanged file is reported once. */
function createMemo(): Tell {
  const said = new Map<string, string>();
  return (scope, skipped, failed, lasts) => {
    const current = new Set([...skipped, ...failed].map((file) => file.path));
    for (const path of said.keys()) if (scope.covers(path) && !current.has(path) && !lasts(path)) said.delete(path);
    const isNew = ({ path, reason }: SkippedFile) => {
      if (said.get(path) === reason) return false;
      said.set(path, reason);
      return true;
    };
    return { skipped: skipped.filter(isNew), failed: failed.filter(isNew) };
  };
}
