import { CommanderError } from "commander";
import { type AddCommands, buildProgram } from "./build-program.ts";
import type { CliContext } from "./shell/context.ts";
import { paint } from "./shell/paint.ts";
import { printableLine } from "./shell/printable.ts";
import { problemOf, sentenceOf } from "./shell/problem.ts";

const USAGE_ERROR = 2;

/**
 * Runs one command. With `--json` an error is printed as the last line of standard error, as one
 * JSON object.
 *
 * @param features adds the commands of each feature
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C. Never throws and never ends the process.
 */
export async function runCli(
  argv: readonly string[],
  context: CliContext,
  features: readonly AddCommands[] = [],
): Promise<number> {
  let code = 0;
  const json = wantsJson(argv);
  const run = async (command: Promise<number>) => {
    code = await command;
  };
  // With --json, commander's message about wrong usage and the help after it are replaced by one
  // object.
  const program = json ? buildProgram(context, run, features, () => undefined) : buildProgram(context, run, features);
  try {
    // Some people try the version as a command.
    const isVersion = argv.length === 1 && argv[0] === "version";
    await program.parseAsync(isVersion ? ["--version"] : [...argv], { from: "user" });
    return code;
  } catch (error) {
    const isUsage = error instanceof CommanderError;
    if (isUsage && error.exitCode === 0) return 0;
    if (json) context.stderr.write(`${JSON.stringify(problemOf(error))}\n`);
    // Only one sentence is printed, because a stack trace does not help the user of a command.
    else if (!isUsage) context.stderr.write(`${paint("red", printableLine(sentenceOf(error)), context.errorColour)}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

/**
 * Returns whether commander will find `--json`. This must be known before the line is parsed,
 * because a usage error can come first.
 */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
