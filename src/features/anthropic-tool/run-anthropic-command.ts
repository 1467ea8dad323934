import { AppError, type ErrorCode } from "../../base/errors.ts";
import { filesAt, firstFileAmong, listDirectory } from "../../db/agent/files/directories.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findKnownMemory } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { type FileInput, writeFiles } from "../../service/files/write-files.ts";
import { authorise } from "../../settings/access.ts";
import {
  CommandError,
  type CommandOf,
  MEMORY_ROOT,
  type MemoryCommand,
  pathOfCommand,
  readCommand,
} from "./anthropic-commands.ts";
import { insertText, listingText, replaceText, viewText } from "./anthropic-texts.ts";

/** The model's `tool_result`. */
export interface CommandResult {
  content: string;
  is_error?: true;
}

interface Session {
  deps: Deps;
  caller: Caller;
  agentId: string;
  /** The agent; undefined if it has no memory yet. */
  agent: KnownAgent | undefined;
}

const MAX_ENTRIES = 1_000;
/**
 * The most files, and most bytes, of a directory that is renamed or deleted. Each rename or
 * deletion is one transaction, and a rename reads every file.
 */
const MAX_RENAMED_FILES = 100;
const MAX_RENAMED_BYTES = 8_000_000;
const MAX_DELETED_FILES = 10_000;
/** How often an edit is tried when other changes interfere. */
const MAX_ATTEMPTS = 5;
/** Errors that the model can correct. They become its answer. */
const FOR_THE_MODEL: ReadonlySet<ErrorCode> = new Set([
  "invalid_request",
  "invalid_path",
  "quota_exceeded",
  "file_changed",
]);

/**
 * Runs a command of Anthropic's memory tool (`memory_20250818`) on an agent's files:
 * `/memories/a.md` is the file `a.md`. The texts of success and failure are taken from the tool's
 * documentation, and from Anthropic's SDK where the documentation leaves them open. A directory
 * exists as long as it contains files. Commands that show contents also need the scope
 * `agent:read`.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`; an error
 *   that the model can correct is returned as a result
 */
export async function runMemoryCommand(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: unknown,
): Promise<CommandResult> {
  const agent = await findKnownMemory(deps, caller, "agent:write", agentId);
  try {
    const command = readCommand(input);
    if (["view", "str_replace", "insert"].includes(command.command)) authorise(caller, "agent:read");
    return { content: await run({ deps, caller, agentId, agent }, command) };
  } catch (error) {
    if (error instanceof CommandError) return { content: error.message, is_error: true };
    if (error instanceof AppError && FOR_THE_MODEL.has(error.code))
      return { content: `Error: ${error.message}`, is_error: true };
    throw error;
  }
}

function run(session: Session, command: MemoryCommand): Promise<string> {
  switch (command.command) {
    case "view":
      return view(session, command);
    case "create":
      return create(session, command);
    case "str_replace": {
      const missing = `Error: The path ${command.path} does not exist. Please provide a valid path.`;
      return edit(session, command.path, missing, (content) => replaceText(command, content));
    }
    case "insert": {
      const text = `The file ${command.path} has been edited.`;
      const missing = `Error: The path ${command.path} does not exist`;
      return edit(session, command.path, missing, (content) => ({ content: insertText(command, content), text }));
    }
    case "delete":
      return remove(session, command);
    case "rename":
      return rename(session, command);
  }
}

async function view({ deps, agent }: Session, command: CommandOf<"view">): Promise<string> {
  const path = pathOfCommand(command.path);
  const prefix = path === "" ? "" : `${path}/`;
  const found =
    agent &&
    (await withAgentReads(deps.db, agent, async (tx) => {
      const file = path === "" ? undefined : await readFile(tx, agent.schema, path);
      if (file) return { file };
      const entries = await listDirectory(tx, agent.schema, { prefix, limit: MAX_ENTRIES + 1 });
      // A directory with only hidden files exists and looks empty.
      const isThere = entries.length > 0 || (await filesAt(tx, agent.schema, path, 1)).length > 0;
      return isThere ? { entries } : undefined;
    }));
  if (found?.file) return viewText(command, found.file.content);
  if (!found && path !== "")
    throw new CommandError(`The path ${command.path} does not exist. Please provide a valid path.`);
  const entries = found?.entries ?? [];
  return listingText(command.path, entries.slice(0, MAX_ENTRIES), entries.length > MAX_ENTRIES);
}

async function create(session: Session, { path: given, file_text: content }: CommandOf<"create">): Promise<string> {
  const path = pathOfCommand(given);
  const exists = new CommandError(`Error: File ${given} already exists`);
  if (path === "" || (await find(session, path, 1)).length > 0) throw exists;
  await requireDirectories(session, path);
  await write(session, { put: [{ path, content }], delete: [], expected: new Map([[path, null]]) }).catch(
    (error: unknown) => {
      throw isChange(error) ? exists : error;
    },
  );
  return `File created successfully at: ${given}`;
}

/**
 * Changes the content of one file.
 *
 * @param missing the text for the model when there is no such file
 */
async function edit(
  session: Session,
  given: string,
  missing: string,
  change: (content: string) => { content: string; text: string },
): Promise<string> {
  const path = pathOfCommand(given);
  for (let attempt = 1; ; attempt++) {
    const file = path === "" ? undefined : await read(session, path);
    if (!file) throw new CommandError(missing);
    const { content, text } = change(file.content);
    const expected = new Map([[path, file.hash]]);
    try {
      await write(session, { put: [{ path, content }], delete: [], expected });
      return text;
    } catch (error) {
      if (!isChange(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function remove(session: Session, { path: given }: CommandOf<"delete">): Promise<string> {
  const path = pathOfCommand(given);
  if (path === "") throw new CommandError(`Error: Cannot delete the ${MEMORY_ROOT} directory itself`);
  const files = await find(session, path, MAX_DELETED_FILES + 1);
  if (files.length === 0) throw new CommandError(`Error: The path ${given} does not exist`);
  if (files.length > MAX_DELETED_FILES)
    throw new CommandError(
      `Error: The directory ${given} has more than ${MAX_DELETED_FILES} files; delete parts of it first.`,
    );
  await write(session, { put: [], delete: files.map((file) => file.path) });
  return `Successfully deleted ${given}`;
}

/** Renames a file, or a directory with all its files, or changes nothing. */
async function rename(
  session: Session,
  { old_path: oldGiven, new_path: newGiven }: CommandOf<"rename">,
): Promise<string> {
  const [from, to] = [pathOfCommand(oldGiven), pathOfCommand(newGiven)];
  if (from === "") throw new CommandError(`Error: Cannot rename the ${MEMORY_ROOT} directory itself`);
  const exists = new CommandError(`Error: The destination ${newGiven} already exists`);
  if (to === "" || (await find(session, to, 1)).length > 0) throw exists;
  const files = await find(session, from, MAX_RENAMED_FILES + 1);
  if (files.length === 0) throw new CommandError(`Error: The path ${oldGiven} does not exist`);
  if (to.startsWith(`${from}/`))
    throw new CommandError(`Error: Cannot rename ${oldGiven} to ${newGiven}, a path inside it`);
  await requireDirectories(session, to);
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > MAX_RENAMED_FILES || bytes > MAX_RENAMED_BYTES)
    throw new CommandError(
      `Error: A directory can be renamed with at most ${MAX_RENAMED_FILES} files and ${MAX_RENAMED_BYTES} bytes; rename parts of ${oldGiven}.`,
    );
  const put: FileInput[] = [];
  const expected = new Map<string, string | null>();
  for (const { path } of files) {
    const file = await read(session, path);
    if (!file) continue;
    const target = `${to}${path.slice(from.length)}`;
    put.push({ path: target, content: file.content, mtime: file.mtime });
    expected.set(path, file.hash).set(target, null);
  }
  await write(session, {
    put,
    delete: [...expected].flatMap(([path, hash]) => (hash === null ? [] : [path])),
    expected,
  });
  return `Successfully renamed ${oldGiven} to ${newGiven}`;
}

/**
 * Requires that no directory of a new path is a file.
 *
 * @throws CommandError
 */
async function requireDirectories({ deps, agent }: Session, path: string): Promise<void> {
  const parents = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
  const file = agent && (await withAgentReads(deps.db, agent, (tx) => firstFileAmong(tx, agent.schema, parents)));
  if (file !== undefined) throw new CommandError(`Error: ${MEMORY_ROOT}/${file} is a file, not a directory`);
}

async function read({ deps, agent }: Session, path: string) {
  return agent && (await withAgentReads(deps.db, agent, (tx) => readFile(tx, agent.schema, path)));
}

async function find({ deps, agent }: Session, path: string, limit: number) {
  return agent ? withAgentReads(deps.db, agent, (tx) => filesAt(tx, agent.schema, path, limit)) : [];
}

function write({ deps, caller, agentId }: Session, batch: Parameters<typeof writeFiles>[3]) {
  return writeFiles(deps, { ...caller, via: "tool:memory" }, agentId, batch);
}

function isChange(error: unknown): boolean {
  return error instanceof AppError && error.code === "file_changed";
}
