import type { Command } from "commander";
import { agentPath } from "../shell/api-client.ts";
import { call, table } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { decimal, instant, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/run.ts";

interface Fact {
  id: string;
  text: string;
  category: string;
  importance: number;
  validFrom: string;
  validTo?: string;
  score?: number;
}

interface Stored {
  id: string;
  status: string;
  superseded: string[];
}

interface ScopeOptions extends RemoteOptions {
  user?: string;
  session?: string;
}

interface AddOptions extends ScopeOptions {
  key?: string;
  category?: string;
  importance?: number;
  tag?: string[];
  decay?: string;
  expires?: string;
  supersedes?: string[];
}

interface FindOptions extends ScopeOptions {
  asOf?: string;
  maxResults?: number;
  minScore?: number;
}

/** `recollect facts …` */
export function addFacts(program: Command, context: CliContext, run: Run): void {
  const facts = program.command("facts").description("what an agent was told to remember");
  scoped(remote(facts.command("add").argument("<text>")))
    .description("remember a statement")
    .option("--key <key>", "what it is about, such as user.name: the next fact with it takes this one's place")
    .option("--category <name>", "preference, fact, decision, entity, technical or other")
    .option("--importance <x>", "0 to 1", decimal)
    .option("--tag <tag...>", "labels")
    .option("--decay <class>", "permanent, stable, active, session or transient")
    .option("--expires <when>", "a date or an instant", instant)
    .option("--supersedes <id...>", "facts whose place it takes")
    .action((text: string, options: AddOptions) => run(add(context, text, options)));
  scoped(remote(facts.command("list")))
    .description("list facts, newest first")
    .option("--as-of <when>", "those that held then", instant)
    .option("--all", "also those that are over")
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((options: FindOptions & { all?: boolean; limit: number }) => run(list(context, options)));
  scoped(remote(facts.command("search").argument("<query>")))
    .description("search facts")
    .option("--as-of <when>", "what was believed then", instant)
    .option("--max-results <n>", "most facts to show", wholeNumber(1, 100))
    .option("--min-score <x>", "leave out facts below this score (0 to 1)", decimal)
    .action((query: string, options: FindOptions) => run(search(context, query, options)));
  remote(facts.command("history").argument("<id>"))
    .description("every version of a fact, oldest first")
    .action((id: string, options: RemoteOptions) => {
      const path = agentPath(options.agent, `facts/${encodeURIComponent(id)}/history`);
      return run(call<{ facts: Fact[] }>(context, options, { method: "GET", path }, ({ facts }) => render(facts)));
    });
  destructive(remote(facts.command("forget").argument("<id...>")))
    .description("forget facts for good, with every version before them")
    .action((ids: string[], options: RemoteOptions, command: Command) =>
      run(confirmed(context, command, `Forget ${ids.join(", ")}?`, () => forget(context, ids, options))),
    );
  scoped(remote(facts.command("recall").argument("<message>")))
    .description("facts and passages that bear on a user's message, as a block of text for the prompt")
    .action((message: string, options: ScopeOptions) => run(recall(context, message, options)));
}

function scoped(command: Command): Command {
  return command.option("--user <id>", "whom it is for").option("--session <key>", "the session that it is for");
}

function scopeOf({ user, session }: ScopeOptions): { scope?: { user?: string; session?: string } } {
  if (user === undefined && session === undefined) return {};
  return { scope: { ...(user === undefined ? {} : { user }), ...(session === undefined ? {} : { session }) } };
}

function add(context: CliContext, text: string, options: AddOptions): Promise<number> {
  const { key, category, importance, tag: tags, decay: decayClass, expires: expiresAt, supersedes } = options;
  const fact = { text, key, category, importance, tags, decayClass, expiresAt, supersedes, ...scopeOf(options) };
  const request = { method: "POST", path: agentPath(options.agent, "facts"), body: { facts: [fact] } };
  return call<{ facts: Stored[] }>(context, options, request, ({ facts }) =>
    facts
      .map(({ id, status, superseded }) => `${status} ${id}${superseded.map((old) => `, was ${old}`).join("")}\n`)
      .join(""),
  );
}

function list(context: CliContext, options: FindOptions & { all?: boolean; limit: number }): Promise<number> {
  const { user, session, asOf, all, limit } = options;
  const given = { user, session, asOf, all: all ? "true" : undefined, limit: String(limit) };
  const query = new URLSearchParams(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const path = agentPath(options.agent, `facts?${query}`);
  return call<{ facts: Fact[] }>(context, options, { method: "GET", path }, ({ facts }) => render(facts));
}

function search(context: CliContext, query: string, options: FindOptions): Promise<number> {
  const { asOf, maxResults, minScore } = options;
  const body = { query, asOf, maxResults, minScore, ...scopeOf(options) };
  const request = { method: "POST", path: agentPath(options.agent, "facts/search"), body };
  return call<{ facts: Fact[]; warning?: string }>(context, options, request, ({ facts, warning }) => {
    const head = warning ? `warning: ${printableLine(warning)}\n` : "";
    return `${head}${facts.length === 0 ? "Nothing found.\n" : render(facts)}`;
  });
}

function forget(context: CliContext, ids: readonly string[], options: RemoteOptions): Promise<number> {
  const request = { method: "POST", path: agentPath(options.agent, "tools/memory_forget"), body: { ids } };
  return call<{ forgotten: string[] }>(context, options, request, ({ forgotten }) =>
    forgotten.length === 0 ? "There are no such facts.\n" : `Forgotten: ${forgotten.join(", ")}.\n`,
  );
}

function recall(context: CliContext, message: string, options: ScopeOptions): Promise<number> {
  const body = { message, ...scopeOf(options) };
  const request = { method: "POST", path: agentPath(options.agent, "recall"), body };
  return call<{ block: string; warning?: string }>(context, options, request, ({ block, warning }) => {
    const head = warning ? `warning: ${printableLine(warning)}\n` : "";
    return `${head}${block === "" ? "Nothing is remembered that bears on it.\n" : `${printable(block)}\n`}`;
  });
}

function render(facts: readonly Fact[]): string {
  const rows = facts.map(({ id, score, category, importance, validFrom, validTo = "", text }) => [
    id,
    score?.toFixed(3) ?? "",
    category,
    importance,
    validFrom.slice(0, 10),
    validTo.slice(0, 10),
    text,
  ]);
  return table(["id", "score", "category", "importance", "from", "to", "text"], rows);
}
