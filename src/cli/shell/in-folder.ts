import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { printableLine } from "./printable.ts";
import type { Run } from "./shared-options.ts";

/**
 * Returns the action of a command whose argument is a folder. A folder that does not exist is wrong
 * usage.
 *
 * @param act is given the folder's absolute path
 */
export function inFolder<Options>(
  context: CliContext,
  run: Run,
  act: (root: string, options: Options) => Promise<number>,
) {
  return async (dir: string, options: Options, command: Command): Promise<void> => {
    await run(act(await folderAt(context, dir, command), options));
  };
}

/**
 * Returns the absolute path of a folder named on the command line. Ends the command if there is no
 * such folder.
 */
export async function folderAt({ cwd }: CliContext, dir: string, command: Command): Promise<string> {
  const root = resolve(cwd, dir);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory()) return root;
  const name = printableLine(dir);
  return command.error(
    found === undefined
      ? `There is no folder ${name}. (invalid_request)`
      : `${name} is no folder; name the folder that holds it. (invalid_request)`,
  );
}
