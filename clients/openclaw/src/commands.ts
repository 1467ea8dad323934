import { objectOf } from "./origin.ts";

/** The actions of the commands. Each returns the lines to show; `json` is the same for programs. */
export interface MemoryActions {
  status(agentId: string | undefined): Promise<Shown>;
  search(
    agentId: string | undefined,
    query: string,
    options: { maxResults?: number; minScore?: number },
  ): Promise<Shown>;
  index(agentId: string | undefined): Promise<Shown>;
}

export interface Shown {
  lines: string[];
  json: unknown;
  /** Whether the command ends with an error. */
  failed?: boolean;
}

/** The part of commander that the commands need. OpenClaw brings it. */
interface Command {
  command(name: string): Command;
  description(text: string): Command;
  option(flags: string, description: string): Command;
  argument(name: string, description: string): Command;
  action(run: (...input: never[]) => Promise<void>): Command;
}

/**
 * The names of the command. OpenClaw's own memory plugin keeps `memory` for itself while it is enabled,
 * even if another plugin has the memory slot.
 */
export const COMMANDS = ["memory", "recollect"];

/**
 * Adds the commands `status`, `search` and `index` below a command. Flags that OpenClaw's own commands
 * have and that mean nothing here are accepted, because scripts pass them.
 */
export function addCommands(program: unknown, name: string, actions: MemoryActions): void {
  const memory = (program as Command).command(name).description("Show, search and sync the memory in Recollect");
  const one = (name: string, description: string) =>
    memory
      .command(name)
      .description(description)
      .option("--agent <id>", "The agent; default: all agents, or the default agent for a search")
      .option("--json", "Print JSON")
      .option("--verbose", "Accepted and ignored");
  one("status", "Show what is remembered, and whether the server answers")
    .option("--deep", "Accepted and ignored: the status always asks the server")
    .option("--index", "Sync first")
    .action(async (flags: unknown) => {
      const { agent, json, index } = objectOf(flags);
      if (index === true) show(await actions.index(textOf(agent)), false);
      show(await actions.status(textOf(agent)), json === true);
    });
  one("search", "Search the memory with the owner's rights")
    .argument("[query]", "What to look for")
    .option("--query <text>", "What to look for")
    .option("--max-results <n>", "Most hits to show")
    .option("--min-score <n>", "Leave out hits below this score")
    .action(async (words: unknown, flags: unknown) => {
      const { agent, json, query, maxResults, minScore } = objectOf(flags);
      const options = { ...numberOf("maxResults", maxResults), ...numberOf("minScore", minScore) };
      show(await actions.search(textOf(agent), textOf(query) ?? textOf(words) ?? "", options), json === true);
    });
  one("index", "Send all files and conversations that the server does not have yet")
    .option("--force", "Accepted and ignored: the server keeps its index up to date")
    .action(async (flags: unknown) => {
      const { agent, json } = objectOf(flags);
      show(await actions.index(textOf(agent)), json === true);
    });
}

function show({ lines, json, failed }: Shown, isJson: boolean): void {
  process.stdout.write(`${isJson ? JSON.stringify(json, null, 2) : lines.join("\n")}\n`);
  if (failed) process.exitCode = 1;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function numberOf(name: "maxResults" | "minScore", value: unknown): { maxResults?: number; minScore?: number } {
  const number = Number(value);
  return value === undefined || !Number.isFinite(number) ? {} : { [name]: number };
}
