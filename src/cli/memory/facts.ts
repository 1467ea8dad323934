import type { Command } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import { type AgentClient, type Fact, type FactInput, type RecallInput, RecollectError } from "../../client/client.ts";
import { callAgent } from "../shell/call.ts";
import { confirmed, destructive } from "../shell/confirm.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { instant, named, pastMoment, share, wholeNumber } from "../shell/option-parsers.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote, zoned } from "../shell/shared-options.ts";
import { typedText } from "../shell/standard-input.ts";
import { table } from "../shell/table.ts";

interface ScopeOptions extends RemoteOptions {
  user?: string;
  session?: string;
}

interface AddOptions extends ScopeOptions {
  subject?: string;
  key?: string;
  category?: FactInput["category"];
  importance?: number;
  tag?: string[];
  decay?: FactInput["decayClass"];
  since?: string;
  expires?: string;
  supersedes?: string[];
}

interface FindOptions extends ScopeOptions {
  subject?: string;
  source?: string;
  timezone?: string;
  asOf?: string;
  maxResults?: number;
  minScore?: number;
}

const A_FACT = "the id of a fact; recollect facts list shows it";

/** Adds the commands `recollect facts …`. */
export function addFacts(program: Command, context: CliContext, run: Run): void {
  const facts = program
    .command("facts")
    .description("statements that an agent remembers")
    .addHelpText(
      ...guide(
        [
          'recollect facts add "Mina lives in Oslo" --key user.city --user mina',
          'recollect facts search "where does Mina live" --as-of 2026-02-01',
          "recollect facts history 42",
          'recollect facts recall "book me a flight home" --user mina',
          "recollect facts forget 42 --yes",
        ],
        "recollect ingest, to have a model find facts in files",
        "A fact never changes: a new fact that replaces it ends it, and both can be read.",
      ),
    );
  scoped(remote(facts.command("add").argument("<text...>")))
    .description("remember a statement")
    .addHelpText(
      ...guide(
        [
          'recollect facts add "Mina lives in Oslo" --key user.city --user mina',
          'recollect facts add "The sprint ends on Friday" --expires 2027-01-31 --tag team',
          "pbpaste | recollect facts add -                       from standard input",
        ],
        "recollect facts search",
      ),
    )
    .option("--subject <name>", "the person or thing that it is about")
    .option(
      "--key <key>",
      "the property that it states, such as user.name: the next fact with the same key and subject replaces this one",
    )
    .option("--category <name>", "preference, instruction, fact, decision, entity, technical or other")
    .option("--importance <x>", "0 to 1", share)
    .option("--tag <tag...>", "labels")
    .option("--decay <class>", "permanent, stable, active, session or transient")
    .option("--since <when>", "the date or instant from which it holds; default: now", instant)
    .option("--expires <when>", "the date or instant at which it ends", instant)
    .option("--supersedes <id...>", "the ids of the facts that it replaces")
    .action(async (words: string[], options: AddOptions, command: Command) => {
      const text = await typedText(context, words, command);
      return run(add(context, text, options));
    });
  addFinding(facts, context, run);
  addById(facts, context, run);
  addForgettingSource(facts, context, run);
}

function addFinding(facts: Command, context: CliContext, run: Run): void {
  scoped(remote(facts.command("list")))
    .description("list facts, newest first")
    .addHelpText(
      ...guide(
        ["recollect facts list --user mina", "recollect facts list --as-of 2026-02-01"],
        "recollect facts history <id>",
      ),
    )
    .option("--subject <name>", "only facts about this person or thing")
    .option("--source <place>", "only facts that come from this session or file")
    .option("--as-of <when>", "only facts that held then: a date (its end, in UTC) or an instant", pastMoment)
    .option("--all", "also facts that have ended")
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((options: FindOptions & { all?: boolean; limit: number }) => run(list(context, options)));
  zoned(scoped(remote(facts.command("search").argument("<query...>"))))
    .description("search facts")
    .addHelpText(
      ...guide(['recollect facts search "where does Mina live" --as-of 2026-02-01'], "recollect facts history <id>"),
    )
    .option("--subject <name>", "only facts about this person or thing")
    .option("--as-of <when>", "the facts that were believed then: a date (its end, in UTC) or an instant", pastMoment)
    .option("--max-results <n>", "most facts to show", wholeNumber(1, 100))
    .option("--min-score <x>", "leave out facts below this score (0 to 1)", share)
    .action(async (words: string[], options: FindOptions, command: Command) => {
      const text = await typedText(context, words, command);
      return run(search(context, text, options));
    });
  zoned(scoped(remote(facts.command("recall").argument("<message...>"))))
    .description("facts and passages that bear on a user's message, as a block of text for the prompt")
    .addHelpText(
      ...guide(
        ['recollect facts recall "book me a flight home" --user mina'],
        "recollect facts search, to see the scores",
      ),
    )
    .option("--subject <name>", "only facts about this person or thing")
    .action(async (words: string[], options: FindOptions, command: Command) => {
      const text = await typedText(context, words, command);
      return run(recall(context, text, options));
    });
  scoped(remote(facts.command("people")))
    .description("count facts by the person or thing that they are about")
    .addHelpText(...guide(["recollect facts people"], "recollect facts list --subject <name>"))
    .option("--limit <n>", "how many", wholeNumber(1, 1000), 100)
    .action((options: ScopeOptions & { limit: number }) => run(people(context, options)));
}

function addById(facts: Command, context: CliContext, run: Run): void {
  remote(facts.command("history").argument("<id>", "", named(A_FACT)))
    .description("every version of a fact, oldest first")
    .addHelpText(...guide(["recollect facts history 42"], "recollect facts add <text> --supersedes <id>"))
    .action(async (shown: string, options: RemoteOptions, command: Command) => {
      const [id = ""] = await factIds([shown], command);
      return run(
        callAgent(
          context,
          options,
          (memory) => memory.facts.history(id),
          (answer, width) => render(answer.facts, width),
        ),
      );
    });
  destructive(remote(facts.command("forget").argument("<id...>")))
    .description("forget facts for good, with every version before them")
    .option("--snapshots", "remove the facts from snapshots too, even facts that were forgotten earlier")
    .addHelpText(
      ...guide(["recollect facts forget 42 43 --yes", "recollect facts forget 42 --snapshots"], "recollect facts list"),
    )
    .action(async (shown: string[], options: ForgetOptions, command: Command) => {
      const ids = await factIds(shown, command);
      return run(confirmed(context, command, `Forget ${ids.join(", ")}?`, () => forget(context, ids, options)));
    });
}

/** Reads ids of facts in any form that a search shows, such as `42` or `facts/42`. */
async function factIds(shown: readonly string[], command: Command): Promise<string[]> {
  const { factOfShown } = await import("../../service/tools/shown-fact.ts");
  return shown.map((text) => {
    const id = factOfShown(text);
    if (id === undefined)
      command.error(
        `error: ${printableLine(text)} is not the number of a fact; recollect facts list shows the numbers`,
      );
    return id;
  });
}

function addForgettingSource(facts: Command, context: CliContext, run: Run): void {
  destructive(remote(facts.command("forget-source").argument("<source>")))
    .description("forget for good the facts that come from a session or a file")
    .addHelpText(
      ...guide(
        ["recollect facts forget-source slack:C042 --yes", "recollect facts forget-source notes/plan.md"],
        "recollect facts list --source <source>",
      ),
    )
    .action((source: string, options: RemoteOptions, command: Command) =>
      run(confirmed(context, command, `Forget the facts of ${source}?`, () => forgetSource(context, source, options))),
    );
}

function scoped(command: Command): Command {
  return command
    .option("--user <id>", "the user whom facts are for")
    .option("--session <key>", "the session that facts are for");
}

function scopeOf(options: ScopeOptions): Pick<RecallInput, "scope"> {
  const scope = partsOf(options);
  return Object.keys(scope).length === 0 ? {} : { scope };
}

/** Returns the parts of a scope that are given. The client refuses a user that is undefined. */
function partsOf({ user, session }: ScopeOptions): NonNullable<RecallInput["scope"]> {
  return { ...(user === undefined ? {} : { user }), ...(session === undefined ? {} : { session }) };
}

function add(context: CliContext, text: string, options: AddOptions): Promise<number> {
  const { subject, key, category, importance, tag: tags, decay: decayClass, supersedes } = options;
  const { since: validFrom, expires: expiresAt } = options;
  const fact = {
    text,
    validFrom,
    subject,
    key,
    category,
    importance,
    tags,
    decayClass,
    expiresAt,
    supersedes,
    ...scopeOf(options),
  };
  return callAgent(
    context,
    { ...options, ifMissing: "create" },
    (memory) => memory.facts.add(fact),
    ({ facts }) =>
      facts
        .map(
          ({ id, status, superseded }) => `${status} ${id}${superseded.map((old) => `, replaces ${old}`).join("")}\n`,
        )
        .join(""),
  );
}

function list(context: CliContext, options: FindOptions & { all?: boolean; limit: number }): Promise<number> {
  const { subject, source, asOf, all, limit } = options;
  const filter = { ...partsOf(options), subject, source, asOf, all, limit };
  return callAgent(
    context,
    options,
    (memory) => memory.facts.list(filter),
    ({ facts, nextCursor }, width) => {
      if (facts.length === 0) return "There are no such facts.\n";
      if (nextCursor !== undefined) context.stderr.write("(more: a higher --limit, or a filter)\n");
      return render(facts, width);
    },
    ({ facts }) => facts.length === 0,
  );
}

function search(context: CliContext, query: string, options: FindOptions): Promise<number> {
  const { asOf, subject, maxResults, minScore, timezone } = options;
  return callAgent(
    context,
    options,
    (memory) => memory.facts.search(query, { asOf, subject, maxResults, minScore, timezone, ...scopeOf(options) }),
    ({ facts, warning }, width) =>
      `${warned(warning)}${facts.length === 0 ? "Nothing found.\n" : render(facts, width)}`,
    ({ facts }) => facts.length === 0,
  );
}

interface ForgetOptions extends RemoteOptions {
  snapshots?: boolean;
}

/** `note` says where the words of the facts still stand. */
type Forgotten = { forgotten: string[]; note?: string | undefined };

/** The most notes that are shown. */
const MAX_NOTES = 3;

function noted(note = ""): string {
  return note === "" ? "" : `${printable(note)}\n`;
}

function forget(context: CliContext, ids: readonly string[], options: ForgetOptions): Promise<number> {
  const throughSnapshots = async (memory: AgentClient) => {
    const forgotten: string[] = [];
    const notes = new Set<string>();
    for (const id of ids) {
      // The fact may be a version of an earlier one in the list, and already be forgotten with it.
      if (forgotten.includes(id)) continue;
      const done = await fromSnapshotsToo(memory, id);
      forgotten.push(...done.forgotten);
      if (done.note !== undefined) notes.add(done.note);
    }
    return { forgotten, ...(notes.size > 0 ? { note: [...notes].slice(0, MAX_NOTES).join("\n") } : {}) };
  };
  return callAgent(
    context,
    { ...options, irreversible: true },
    (memory) =>
      options.snapshots ? throughSnapshots(memory) : (memory.callTool("memory_forget", { ids }) as Promise<Forgotten>),
    ({ forgotten, note }) =>
      forgotten.length === 0 ? "There are no such facts.\n" : `Forgotten: ${forgotten.join(", ")}.\n${noted(note)}`,
  );
}

async function fromSnapshotsToo(memory: AgentClient, id: string): Promise<Forgotten> {
  try {
    return await memory.facts.forget(id, { snapshots: true });
  } catch (error) {
    if (error instanceof RecollectError && error.code === "fact_not_found") return { forgotten: [] };
    throw error;
  }
}

function people(context: CliContext, options: ScopeOptions & { limit: number }): Promise<number> {
  const { limit } = options;
  return callAgent(
    context,
    options,
    (memory) => memory.facts.people({ ...partsOf(options), limit }),
    (found, width) => {
      const rows = found.people.map(({ subject, facts, latest }) => [subject, facts, latest.slice(0, 10)]);
      return `${table(["subject", "facts", "latest"], rows, width)}${countOf(found.withoutSubject, "fact")} without a subject\n`;
    },
    (found) => found.people.length + found.withoutSubject === 0,
  );
}

function forgetSource(context: CliContext, source: string, options: RemoteOptions): Promise<number> {
  const all = async (memory: AgentClient) => {
    const forgotten: string[] = [];
    let note: string | undefined;
    for (let more = true; more; ) {
      const page = await memory.facts.forgetSource(source);
      forgotten.push(...page.forgotten);
      note ??= page.note;
      more = page.more;
    }
    return { forgotten, ...(note === undefined ? {} : { note }) };
  };
  return callAgent(
    context,
    { ...options, irreversible: true },
    all,
    ({ forgotten, note }) => `Forgotten: ${countOf(forgotten.length, "fact")}.\n${noted(note)}`,
  );
}

function recall(context: CliContext, message: string, options: FindOptions): Promise<number> {
  return callAgent(
    context,
    options,
    (memory) => memory.recall({ message, subject: options.subject, timezone: options.timezone, ...scopeOf(options) }),
    ({ instructionsBlock, block, warning }) => {
      const text = [instructionsBlock, block].filter(Boolean).join("\n");
      return `${warned(warning)}${text === "" ? "Nothing in memory bears on this message.\n" : `${printable(text)}\n`}`;
    },
    ({ instructionsBlock, block }) => instructionsBlock + block === "",
  );
}

function warned(warning: string | undefined): string {
  return warning === undefined ? "" : `warning: ${printableLine(warning)}\n`;
}

function render(facts: readonly (Fact & { score?: number })[], width?: number): string {
  // The facts of several users, agents or sessions may be listed.
  const parts = (["user", "agent", "session"] as const).filter((part) => facts.some(({ scope }) => scope?.[part]));
  const rows = facts.map(({ id, score, scope, subject = "", category, importance, validFrom, validTo = "", text }) => [
    id,
    score?.toFixed(3) ?? "",
    ...parts.map((part) => scope?.[part] ?? ""),
    subject,
    category,
    importance,
    validFrom.slice(0, 10),
    validTo.slice(0, 10),
    text,
  ]);
  return table(["id", "score", ...parts, "subject", "category", "importance", "from", "to", "text"], rows, width);
}
