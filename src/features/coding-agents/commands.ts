import type { Command } from "commander";
import { AppError } from "../../base/errors.ts";
import type { CliContext, ConnectOptions } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId } from "../../cli/shell/option-parsers.ts";
import { connecting, type Run } from "../../cli/shell/shared-options.ts";

interface HookOptions extends ConnectOptions {
  agent: string;
  user: string;
}

/** How long the coding agent waits for its memory. */
const TIMEOUT_MS = 2000;
const NO_PROGRAM =
  "There are no hooks of this program. Name the coding agent: recollect hook codex, or recollect hook claude-code.";
/** The user of the plugins for Claude Code and OpenClaw, so that all three share one memory. */
const OWNER = "owner";
const HOST = /^[a-z][a-z-]{0,30}$/;

/** Adds the command `recollect hook`. */
export function addHook(program: Command, context: CliContext, run: Run): void {
  connecting(program.command("hook").argument("<program>", "codex or claude-code"))
    .helpGroup("Memory:")
    .summary("answer a hook of a coding agent (Codex, Claude Code)")
    .description("answer a hook of a coding agent: recall before a turn, and store its messages")
    .addHelpText(
      ...guide(
        ["recollect hook codex", "recollect hook codex --agent work --url http://memory.example:7420"],
        "recollect sessions list --prefix codex:",
        `The coding agent starts the command: see docs/recipes/codex.md. The command reads the hook's input from standard input,
sends it to the server (without --url: RECOLLECT_URL, the profile in use, or http://127.0.0.1:7420), and prints the answer. It never
opens the embedded database, and gives up after two seconds.`,
      ),
    )
    .option("--agent <id>", "the agent", agentId, "main")
    .option("--user <name>", "the user that the conversations are for; empty: everybody", OWNER)
    // Coding agents take the exit code 2, wrong usage, for a refusal of the prompt.
    .allowUnknownOption()
    .allowExcessArguments()
    .action((host: string, options: HookOptions) => run(hook(context, host, options)));
}

/**
 * Sends the input of a hook to the server, and prints the answer.
 *
 * @returns 0
 * @throws AppError when the server does not answer; the coding agent goes on without memory
 */
async function hook(context: CliContext, host: string, options: HookOptions): Promise<number> {
  if (!HOST.test(host)) throw new AppError("invalid_request", NO_PROGRAM);
  const body = await context.readInput();
  const { agent, user, url, profile } = options;
  const query = user === "" ? "" : `?user=${encodeURIComponent(user)}`;
  const connection = await context.connect({ url, profile, brief: true, onlyServer: true });
  try {
    const response = await connection.fetch(`/v1/agents/${encodeURIComponent(agent)}/hooks/${host}${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await response.text();
    // The server knows its programs; it has a route for each.
    if (codeIn(answer) === "not_found") throw new AppError("invalid_request", NO_PROGRAM);
    if (!response.ok)
      throw new AppError("invalid_request", sentenceIn(answer) ?? `The server answers ${response.status}.`);
    context.stdout.write(`${answer}\n`);
    return 0;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "service_unreachable",
      `${connection.description} did not answer; the turn goes on without memory.`,
    );
  } finally {
    await connection.close();
  }
}

/** Returns the sentence of an answer that is an error. */
function sentenceIn(answer: string): string | undefined {
  return fieldIn(answer, "detail");
}

/** Returns the code of an answer that is an error. */
function codeIn(answer: string): string | undefined {
  return fieldIn(answer, "code");
}

function fieldIn(answer: string, name: "detail" | "code"): string | undefined {
  try {
    const { [name]: value } = JSON.parse(answer) as { detail?: unknown; code?: unknown };
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
