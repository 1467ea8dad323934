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
import { type LocalFile, type SkippedFile, type Walk, walkFolder } from "./walk-folder.ts";
import { EVERYTHING, type Scope, scopeOf } from "./watch-scope.ts";

/** A file that is saved by moving another into its place is missing for a moment; so long after, a second look decides. */
const SECOND_LOOK_MS = 250;

export interface MirrorOptions {
  memory: AgentClient;
  /** What the server is called. */
  description: string;
  root: string;
  selection: Selection;
  /** Whose the folder's files are. */
  owner: Owner;
}

export interface Look {
  /** Paths below the root, each with all that is in it; `""` is everything. */
  paths: ReadonlySet<string>;
  /** Whether to ask the server anew what it has. */
  fresh: boolean;
  /** Whether a path is changing at this moment, so that a look at it proves nothing. */
  isMoving(path: string): boolean;
}

export interface Mirrored {
  /** Files of the folder's own that the agent now has. */
  files: number;
  sent: number;
  adopted: number;
  removed: number;
  chunks: number;
  toEmbed: number;
  /** What was left out and why, unless an earlier look said the same. */
  skipped: SkippedFile[];
  /** Among them are files that others wrote otherwise. */
  failed: SkippedFile[];
  /** Files that another folder has sent as this one has them. */
  shared: readonly OthersFile[];
  /** Whether the folder has no files any more, and the agent's were kept. */
  kept: boolean;
  /** Paths below the root to look at once more. */
  again: string[];
}

/** Keeps an agent's files of a folder equal to what it has, and leaves those of others. Looks come one after the other. */
export interface FolderMirror {
  /** @throws RecollectError when the service cannot be reached or refuses for a reason that is no single file's */
  look(look: Look): Promise<Mirrored>;
}

export function createFolderMirror({ memory, description, root, selection, owner }: MirrorOptions): FolderMirror {
  const { prefix, maxFileBytes, allowEmpty } = selection;
  /** What the server has, by path. */
  let known = new Map<string, RemoteFile>();
  /** What it refused, by path; the same content is not sent again. */
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
      // An unmounted folder is an empty one, and must not wipe a memory.
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

/** @returns those that are still missing */
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

/** Listed, but no longer there when it was read: what became of it, another look tells. */
function hasVanished({ reason }: SkippedFile): boolean {
  return reason === "ENOENT";
}

/** Something was removed, so there may be room now: what the quota kept out is no longer refused. @returns its paths */
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

/** Remembers what was said of which file, so that a file that stays as it is, is named once. */
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
