import type { Command } from "commander";
import type { AgentClient, Change, FileVersion } from "../../client/client.ts";
import { callAgent } from "../shell/call.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { instant, versionNumber, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";

/** Adds the commands `recollect files …`. */
export function addFiles(program: Command, context: CliContext, run: Run): void {
  const files = program
    .command("files")
    .description("earlier versions of files, and changes of the memory")
    .addHelpText(
      ...guide(
        ["recollect files history plan.md", "recollect files diff 1842", "recollect files restore 1842"],
        "recollect agents snapshot, to restore everything at once",
        "A version is named by its number. To undo the deletion of a file, restore its last version.",
      ),
    );
  remote(files.command("history").argument("[path]"))
    .description("earlier versions of a file, newest first; without a path, deleted files")
    .addHelpText(
      ...guide(
        ["recollect files history plan.md", "recollect files history    deleted files"],
        "recollect files diff <version>",
      ),
    )
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((path: string | undefined, options: RemoteOptions & { limit: number }) =>
      run(history(context, path, options)),
    );
  addVersions(files, context, run);
  addChanges(files, context, run);
}

/** Adds the commands that act on one version of a file. */
function addVersions(files: Command, context: CliContext, run: Run): void {
  remote(files.command("diff").argument("<version>", "", versionNumber).argument("[other]", "", versionNumber))
    .description("what changed since a version, or between two versions of a file")
    .addHelpText(
      ...guide(["recollect files diff 1842", "recollect files diff 1842 1917"], "recollect files restore <version>"),
    )
    .action((version: string, other: string | undefined, options: RemoteOptions) =>
      run(
        callAgent(
          context,
          options,
          (memory) => memory.files.diff(version, other),
          // A file or a pipe gets the diff unchanged, for `patch`. A terminal would obey escape
          // sequences in the diff, so they are made visible there.
          ({ diff }) => (diff === "" ? "" : context.stdout.isTTY ? printable(diff) : diff),
        ),
      ),
    );
  remote(files.command("restore").argument("<version>", "", versionNumber))
    .description("restore a version's text to its path, also for a deleted file")
    .addHelpText(...guide(["recollect files restore 1842"], "recollect files history <path>"))
    .option("--if-match <hash>", "only if the file has this hash now")
    .action((version: string, options: RemoteOptions & { ifMatch?: string }) =>
      run(
        callAgent(
          context,
          options,
          (memory) => memory.files.restore(version, { ifMatch: options.ifMatch }),
          ({ path, status }) => `${status === "unchanged" ? "Unchanged" : "Restored"} ${printableLine(path)}.\n`,
        ),
      ),
    );
}

interface ChangesOptions extends RemoteOptions {
  since?: string;
  by?: string;
  limit?: number;
  follow?: boolean;
}

/** The most changes that are read at a time. */
const MAX_PAGE = 1000;

function addChanges(files: Command, context: CliContext, run: Run): void {
  remote(files.command("changes"), "print one JSON object a page")
    .description("changes of files and facts, oldest first")
    .addHelpText(
      ...guide(
        ["recollect files changes --since 2026-11-16", "recollect files changes --by rcl_4b2fca1cfdd5"],
        "recollect files history <path>",
      ),
    )
    .option("--since <when>", "a date or an instant", instant)
    .option("--by <key>", "only changes by this key, given by its prefix")
    .option("--limit <n>", "the oldest n (default: all)", wholeNumber(1))
    .option("--follow", "go on with new changes as they happen")
    .action((options: ChangesOptions) => run(changes(context, options)));
}

function changes(context: CliContext, options: ChangesOptions): Promise<number> {
  const { since, by, limit = Number.POSITIVE_INFINITY, follow, json } = options;
  return withMemory(context, { ...options, brief: true }, async (memory) => {
    const pages = follow
      ? memory.watchChanges({ since })
      : changesUntilNow(memory, since, by === undefined ? limit : MAX_PAGE);
    let left = limit;
    for await (const page of pages) {
      // A tool or an import of the key stands behind it: "rcl_4b2fca1cfdd5 tool:memory_store".
      const isMeant = (change: Change) => by === undefined || change.by === by || change.by?.startsWith(`${by} `);
      const meant = page.changes.filter(isMeant);
      const shown = meant.slice(0, left);
      const isCut = meant.length > shown.length;
      left -= shown.length;
      // The cursor of a page leads to the changes behind the page, and not to those that the limit leaves out.
      const answer = { ...page, changes: shown, ...(isCut ? { cursor: undefined, more: true } : {}) };
      context.stdout.write(json ? `${JSON.stringify(answer)}\n` : shown.map(changeLine).join(""));
      if (left > 0) continue;
      if (answer.more) context.stderr.write("(there may be more: a higher --limit)\n");
      return 0;
    }
    return 0;
  });
}

/** Reads the changes until now, in pages of at most `most` changes. */
async function* changesUntilNow(memory: AgentClient, since: string | undefined, most: number) {
  const limit = Math.min(most, MAX_PAGE);
  let page = await memory.changes({ since, limit });
  yield page;
  while (page.more) {
    page = await memory.changes({ cursor: page.cursor, limit });
    yield page;
  }
}

function changeLine({ at, kind, path, by, version }: Change): string {
  const more = [by, version === undefined ? undefined : `version ${version}`].filter((one) => one).join(", ");
  return `${at}  ${kind.padEnd(15)}  ${printableLine(path)}${more === "" ? "" : `  (${printableLine(more)})`}\n`;
}

function history(context: CliContext, path: string | undefined, options: RemoteOptions & { limit: number }) {
  const { limit } = options;
  const none = path === undefined ? "There are no deleted files.\n" : "There are no earlier versions.\n";
  const missing = `The agent has no file ${printableLine(path ?? "")}, and no earlier versions of it.\n`;
  const render = ({ versions, current }: { versions: FileVersion[]; current?: unknown }, width?: number) =>
    versions.length > 0 ? tableOf(versions, width) : current === null ? missing : none;
  return callAgent<{ versions: FileVersion[]; current?: unknown }>(
    context,
    options,
    (memory) => (path === undefined ? memory.files.deleted({ limit }) : memory.files.history(path, { limit })),
    render,
  );
}

function tableOf(versions: readonly FileVersion[], width?: number): string {
  return table(
    ["version", "path", "bytes", "written", "by", "ended", "by", ""],
    versions.map((one) => [
      ...[one.version, one.path, one.size, one.writtenAt, one.writtenBy ?? "", one.endedAt, one.endedBy],
      one.deleted ? "deleted" : "",
    ]),
    width,
  );
}
