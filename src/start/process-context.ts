import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CliContext } from "../cli/shell/context.ts";
import { openProfiles } from "../config/profiles.ts";
import { wantsColour } from "../config/wants-colour.ts";
import { VERSION } from "./version.ts";

type Surroundings = Pick<
  CliContext,
  "stdout" | "stderr" | "cwd" | "version" | "colour" | "errorColour" | "ask" | "readInput" | "input" | "profiles"
>;

/**
 * Returns the part of a command's context that comes from this process. A command may ask questions
 * only if standard input and standard error are both a terminal, so that a user can answer.
 */
export function processContext(): Surroundings {
  const { stdin, stdout, stderr } = process;
  const isAttended = stdin.isTTY === true && stderr.isTTY === true;
  return {
    stdout,
    stderr,
    cwd: process.cwd(),
    version: VERSION,
    colour: wantsColour(stdout),
    errorColour: wantsColour(stderr),
    ask: isAttended ? ask : undefined,
    readInput: () => text(stdin),
    input: () => stdin,
    profiles: openProfiles(),
  };
}

/** Asks on standard error, because the command's own output goes to standard output. */
async function ask(question: string, { hidden = false } = {}): Promise<string> {
  const { stdin, stderr } = process;
  // Readline echoes typed characters to its output; for a hidden answer this output discards them.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true });
  if (hidden) stderr.write(question);
  lines.once("SIGINT", () => {
    stderr.write("\n");
    process.exit(130);
  });
  try {
    return await lines.question(hidden ? "" : question);
  } finally {
    lines.close();
    if (hidden) stderr.write("\n");
  }
}
