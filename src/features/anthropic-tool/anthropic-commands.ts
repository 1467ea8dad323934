import { z } from "zod";
import { isObject } from "../../base/objects.ts";
import { invalidRequest } from "../../service/tools/define-tool.ts";
import { readAsMeant } from "../../service/tools/read-as-meant.ts";
import { checkMemoryPath } from "../../settings/memory-path.ts";

/** The folder under which Anthropic's memory tool sees an agent's files. */
export const MEMORY_ROOT = "/memories";

const path = z.string().max(2_048);
const MAX_RANGE = 10;

/** The commands of the tool `memory_20250818`, as its documentation defines them. */
const memoryCommand = z.discriminatedUnion("command", [
  z.object({
    command: z.literal("view"),
    path,
    // Two numbers; Anthropic's SDK ignores any other list.
    view_range: z.array(z.int()).max(MAX_RANGE).optional(),
  }),
  z.object({ command: z.literal("create"), path, file_text: z.string() }),
  z.object({ command: z.literal("str_replace"), path, old_str: z.string(), new_str: z.string().default("") }),
  z.object({ command: z.literal("insert"), path, insert_line: z.int(), insert_text: z.string() }),
  z.object({ command: z.literal("delete"), path }),
  z.object({ command: z.literal("rename"), old_path: path, new_path: path }),
]);

export type MemoryCommand = z.output<typeof memoryCommand>;
export type CommandOf<Name extends MemoryCommand["command"]> = Extract<MemoryCommand, { command: Name }>;

/**
 * Reads a command as the model meant it: a number may be a text, and null is as if left out.
 *
 * @throws AppError `invalid_request`, naming the fields
 */
export function readCommand(given: unknown): MemoryCommand {
  const name = isObject(given) && typeof given.command === "string" ? given.command.trim().toLowerCase() : undefined;
  const schema = memoryCommand.options.find((one) => one.shape.command.value === name);
  const input = schema ? { ...(readAsMeant(schema, given).input as object), command: name } : given;
  const parsed = memoryCommand.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues);
}

/**
 * The failure of a command. Its text goes to the model, which was trained on exactly these texts.
 */
export class CommandError extends Error {}

/**
 * Encoded dots and slashes. They would lead out of the folder if the path were decoded once more.
 */
const ENCODED_TRAVERSAL = /%(?:25)*(?:2e|2f|5c)/i;

/**
 * Returns the agent's path for a path below /memories; "" for /memories itself. A path is never
 * resolved: a path that would leave the folder is refused.
 *
 * @throws CommandError, or AppError `invalid_path` for a name that no file can have
 */
export function pathOfCommand(given: string): string {
  if (given !== MEMORY_ROOT && !given.startsWith(`${MEMORY_ROOT}/`))
    throw new CommandError(`Error: Path must start with ${MEMORY_ROOT}, got: ${given}`);
  const relative = given.slice(MEMORY_ROOT.length + 1).replace(/\/$/, "");
  if (relative === "") return "";
  const leaves = relative.split(/[/\\]/).some((name) => name === "." || name === "..");
  if (leaves || ENCODED_TRAVERSAL.test(relative))
    throw new CommandError(`Error: Path ${given} would escape ${MEMORY_ROOT} directory`);
  return checkMemoryPath(relative);
}
