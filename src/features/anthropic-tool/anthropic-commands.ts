import { z } from "zod";
import { checkMemoryPath } from "../../settings/memory-path.ts";

/** The folder under which Anthropic's memory tool sees an agent's files. */
export const MEMORY_ROOT = "/memories";

const path = z.string().max(2_048);

/** The commands of the tool `memory_20250818`, as its documentation defines them. */
export const memoryCommand = z.discriminatedUnion("command", [
  z.object({
    command: z.literal("view"),
    path,
    view_range: z.tuple([z.int(), z.int()]).nullish(),
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
