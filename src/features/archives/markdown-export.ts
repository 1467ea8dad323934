import { appendFile, mkdir, readdir, rename, rm, rmdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { AppError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { countOf } from "../../base/text/count-of.ts";
import { connected } from "../../cli/shell/connected.ts";
import type { AdminOptions, CliContext } from "../../cli/shell/context.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import { isTaken } from "../../service/files/document-type.ts";
import { readMarkdownLines, type Written } from "./markdown-lines.ts";
import { aboutText, factText, fileNameOf, messageText } from "./markdown-text.ts";

const SESSIONS = "_sessions";
const FACTS = "_facts";
const ABOUT = "_about.md";
const IGNORE = ".recollectignore";
/**
 * The names that the export itself uses at the top of the folder. A file of the memory cannot be
 * written there.
 */
const OWN = [SESSIONS, FACTS, ABOUT, IGNORE];

interface Counts {
  files: number;
  messages: number;
  facts: number;
  /** The number of files whose names `sync` does not accept. */
  untaken: number;
}

/**
 * Runs `recollect agents export --markdown`. Writes a readable folder with the agent's state at one
 * moment, all or nothing.
 *
 * @returns 0
 */
export async function exportMarkdown(
  context: CliContext,
  id: string,
  options: AdminOptions & { markdown: string },
): Promise<number> {
  const target = resolve(context.cwd, options.markdown);
  await requireEmpty(target);
  const partial = `${target}.part`;
  await requireNoLeftover(partial, relative(context.cwd, partial));
  try {
    makeFolder(partial);
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    throw new AppError("invalid_request", `The folder ${printableLine(partial)} cannot be made (${code}).`, { cause });
  }
  return connected(context, options, async ({ client }) => {
    const { body } = await client.open("GET", `/v1/agents/${encodeURIComponent(id)}/archive`);
    const counts = await writeFolder(partial, id, (body ?? []) as AsyncIterable<Uint8Array>);
    await rmdir(target).catch(() => undefined);
    await rename(partial, target);
    const { untaken, ...written } = counts;
    if (options.json) context.stdout.write(`${JSON.stringify({ id, folder: options.markdown, ...written })}\n`);
    else context.stdout.write(describe(id, options.markdown, counts));
    return 0;
  }).catch(async (error: unknown) => {
    await rm(partial, { recursive: true, force: true });
    throw error;
  });
}

function describe(id: string, folder: string, { files, messages, facts, untaken }: Counts): string {
  const rest = untaken === 0 ? "" : ` Sync would skip ${countOf(untaken, "file")} because of the name.`;
  return `Exported ${id} to ${printableLine(folder)}: ${countOf(files, "file")}, ${countOf(messages, "message")}, ${countOf(facts, "fact")}.${rest}\n`;
}

async function requireEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw new AppError("invalid_request", `${printableLine(folder)} is not a readable folder.`);
  });
  if (there.length > 0)
    throw new AppError("invalid_request", `The folder ${printableLine(folder)} is not empty; name another folder.`);
}

/**
 * Refuses the leftovers of an export that was killed. The next export would append its facts to
 * them, and files deleted since would come back.
 */
async function requireNoLeftover(partial: string, shown: string): Promise<void> {
  const there = await readdir(partial).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (there.length > 0)
    throw new AppError(
      "invalid_request",
      `The folder ${printableLine(shown)} has files, perhaps of an export that runs or was cut short. If none runs, remove the folder and export again.`,
    );
}

async function writeFolder(top: string, id: string, archive: AsyncIterable<Uint8Array>): Promise<Counts> {
  const counts: Counts = { files: 0, messages: 0, facts: 0, untaken: 0 };
  const names = new Map<string, string>();
  await writeFile(join(top, IGNORE), OWN.map((name) => `/${name}\n`).join(""));
  for await (const line of readMarkdownLines(archive)) {
    if (line.type === "header") await writeFile(join(top, ABOUT), aboutText(id, line.exportedAt));
    if (line.type === "file") {
      const path = await placeFile(top, line);
      counts.files++;
      if (!isTaken(path)) counts.untaken++;
    }
    if (line.type === "session") await begin(top, names, line.key);
    if (line.type === "messages") {
      const text = line.messages.map(messageText).join("");
      await appendFile(join(top, SESSIONS, names.get(line.session) ?? "unnamed.md"), text);
      counts.messages += line.messages.length;
    }
    if (line.type === "fact") {
      await mkdir(join(top, FACTS), { recursive: true });
      await appendFile(join(top, FACTS, `${fileNameOf(line.category)}.md`), factText(line));
      counts.facts++;
    }
  }
  return counts;
}

/**
 * Writes a file of the memory.
 *
 * @returns its path in the folder. The text of a document gets its name with `.md` added, because
 * the file is not the document itself
 */
async function placeFile(top: string, { path, content, mtime, original }: Written["file"]): Promise<string> {
  const place = original ? `${path}.md` : path;
  // The server's path is not trusted: nothing may be written outside the folder.
  if (!join(top, place).startsWith(top + sep)) throw unplaced(path, "Its path leads out of the folder.");
  if (OWN.includes(place.split("/")[0] ?? ""))
    throw unplaced(path, "The export uses this place for its own files; export an archive instead.");
  const file = join(top, place);
  await mkdir(dirname(file), { recursive: true });
  // Two paths that differ in the memory may be the same path on this disk.
  await writeFile(file, content, { flag: "wx" }).catch((cause: unknown) => {
    throw unplaced(
      path,
      "The disk does not allow this name, or already has a file whose name differs only in case.",
      cause,
    );
  });
  await utimes(file, new Date(mtime), new Date(mtime));
  return place;
}

function unplaced(path: string, why: string, cause?: unknown): AppError {
  const options = cause === undefined ? {} : { cause };
  return new AppError("invalid_request", `The file ${printableLine(path)} cannot be written. ${why}`, options);
}

/** Creates a page for a session, under a name that no other session has. */
async function begin(top: string, names: Map<string, string>, key: string): Promise<void> {
  const taken = new Set([...names.values()].map((name) => name.toLowerCase()));
  const stem = fileNameOf(key);
  let name = `${stem}.md`;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${stem}-${n}.md`;
  names.set(key, name);
  await mkdir(join(top, SESSIONS), { recursive: true });
  await writeFile(join(top, SESSIONS, name), `# ${key}\n\n`);
}
