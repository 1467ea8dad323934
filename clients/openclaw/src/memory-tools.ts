import type { Requester } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { AgentClient, SearchOptions } from "../../../src/client/client.ts";
import type { HostTool, ToolAnswer, ToolContext } from "./host.ts";
import type { Asked, Memory } from "./memory.ts";
import { objectOf } from "./origin.ts";
import { type Unavailable, unavailable } from "./unavailable.ts";

/** The surroundings of the tools of one turn. */
export interface ToolTurn {
  memory: Memory;
  agentId: string;
  sessionKey: string | undefined;
  requester: Requester;
  /** Whether the requester may read the files of the workspace. */
  readsFiles: boolean;
  /** Sends changed files of the workspace, so that a search finds them. */
  syncFiles(): Promise<void>;
}

/** The paths of a search that may not read files. */
const WITHOUT_FILES = ["sessions/", "facts/"];
const CORPORA = ["memory", "sessions", "facts", "all"] as const;
const CATEGORIES = ["preference", "instruction", "fact", "decision", "entity", "technical", "other"] as const;

/** The parts of a tool's definition that are the same in every turn. */
type Definition = Pick<HostTool, "name" | "label" | "description" | "parameters">;

const SEARCH: Definition = {
  name: "memory_search",
  label: "Memory Search",
  description:
    "Search long-term memory (past conversations, notes and remembered facts) by meaning and by exact words. Mandatory before " +
    "answering anything about earlier work, decisions, dates, people, preferences or to-dos. Returns the best passages with path, " +
    "lines and a score: 0.5 is as likely an answer as not. Use memory_get to read more at a path. If the result says disabled, " +
    "tell the user its warning and action.",
  parameters: objectSchema(
    {
      query: { type: "string", description: "What to look for: a question or key words" },
      maxResults: { type: "integer", minimum: 1, description: "Most hits to return; default: 6" },
      minScore: { type: "number", description: "Leave out hits below this score, 0 to 1" },
      corpus: {
        type: "string",
        enum: CORPORA,
        description: "Files (memory), conversations (sessions), remembered facts (facts), or all, the default",
      },
    },
    ["query"],
  ),
};

const GET: Definition = {
  name: "memory_get",
  label: "Memory Get",
  description:
    "Read lines of one file, conversation or fact in memory, by a path from memory_search. Ask only for the lines you need. " +
    "nextFrom in the answer says where to continue.",
  parameters: objectSchema(
    {
      path: { type: "string", description: "The path of a hit, such as MEMORY.md, sessions/… or facts/7" },
      from: { type: "integer", minimum: 1, description: "The first line, 1-based" },
      lines: { type: "integer", minimum: 1, description: "The number of lines; default: 120" },
    },
    ["path"],
  ),
};

const STORE: Definition = {
  name: "memory_store",
  label: "Memory Store",
  description:
    "Remember one statement for good: a preference, a decision, a fact about a person or a project. Use it when the user asks to " +
    "remember something, or states something that later conversations need.",
  parameters: objectSchema(
    {
      text: { type: "string", description: "One self-contained sentence, with names instead of pronouns" },
      category: { type: "string", enum: CATEGORIES, description: "The kind of statement; default: fact" },
      importance: { type: "number", description: "How much it matters, 0 to 1; default: 0.5" },
      subject: { type: "string", description: "The person or thing that it is about, by name" },
    },
    ["text"],
  ),
};

/** Returns the tools of a turn. */
export function memoryTools(turnOf: (context: ToolContext) => ToolTurn): ((context: ToolContext) => HostTool)[] {
  return [toolOf(SEARCH, turnOf, search), toolOf(GET, turnOf, get), toolOf(STORE, turnOf, store)];
}

function toolOf(
  definition: Definition,
  turnOf: (context: ToolContext) => ToolTurn,
  run: (turn: ToolTurn, input: Readonly<Record<string, unknown>>) => Promise<unknown>,
): (context: ToolContext) => HostTool {
  return (context) => ({
    ...definition,
    catalogMode: "direct-only",
    execute: async (_callId, input) => answerOf(await run(turnOf(context), objectOf(input))),
  });
}

/** Carries out a search with the rights of the turn. Also serves OpenClaw's own search. */
export async function search(turn: ToolTurn, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const query = textOf(input.query);
  if (query === undefined) return { results: [], error: "query is missing: say what to look for." };
  const corpus = CORPORA.find((name) => name === input.corpus);
  if (!turn.readsFiles && corpus === "memory")
    return { results: [], note: "This conversation has other readers, so the owner's files are not searched." };
  await turn.syncFiles();
  const options: SearchOptions = {
    ...(corpus === undefined ? {} : { corpus }),
    ...numberOption("maxResults", input.maxResults, 1),
    ...numberOption("minScore", input.minScore, 0),
    ...(turn.requester.reads === undefined ? {} : { scope: turn.requester.reads }),
    ...(turn.readsFiles ? {} : { paths: WITHOUT_FILES }),
    ...sessionOption(turn),
  };
  const empty: unknown = { results: [], note: "Nothing is remembered yet." };
  return answerOr(await turn.memory.ask<unknown>(turn.agentId, (memory) => memory.search(query, options), { empty }));
}

async function get(turn: ToolTurn, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const path = textOf(input.path) ?? "";
  const absent = { status: "not_found" as const, text: "", path };
  const isFile = !WITHOUT_FILES.some((folder) => path.startsWith(folder));
  if (path === "" || (isFile && !turn.readsFiles)) return absent;
  if (isFile) await turn.syncFiles();
  const options = {
    ...numberOption("from", input.from, 1),
    ...numberOption("lines", input.lines, 1),
    ...(turn.requester.reads === undefined ? {} : { scope: turn.requester.reads }),
  };
  return answerOr(
    await turn.memory.ask<unknown>(turn.agentId, (memory) => memory.get(path, options), { empty: absent }),
  );
}

async function store(turn: ToolTurn, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const text = textOf(input.text);
  if (text === undefined) return { error: "text is missing: state what to remember." };
  const category = CATEGORIES.find((name) => name === input.category);
  const subject = textOf(input.subject);
  const add = (memory: AgentClient) =>
    memory.facts.add({
      text,
      ...(category === undefined ? {} : { category }),
      ...(subject === undefined ? {} : { subject }),
      ...numberOption("importance", input.importance, 0, 1),
      scope: turn.requester.writes,
      ...(turn.sessionKey === undefined ? {} : { source: { kind: "message" as const, session: turn.sessionKey } }),
    });
  return answerOr(await turn.memory.ask<unknown>(turn.agentId, add));
}

function answerOr<T>(asked: Asked<T>): T | Unavailable {
  return "answer" in asked ? asked.answer : unavailable(asked);
}

function answerOf(answer: unknown): ToolAnswer {
  return { content: [{ type: "text", text: JSON.stringify(answer) }], details: answer };
}

/** Returns an option with a number, which models also write as a string. */
function numberOption<Name extends string>(
  name: Name,
  value: unknown,
  least: number,
  most = Infinity,
): Partial<Record<Name, number>> {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return {};
  const within = Math.min(Math.max(number, least), most);
  return { [name]: least === 1 ? Math.floor(within) : within } as Partial<Record<Name, number>>;
}

function sessionOption({ sessionKey }: ToolTurn): { sessionKey?: string } {
  // Keys of other agents are refused by older servers. Citations only need the part that says
  // where the conversation takes place.
  return sessionKey === undefined ? {} : { sessionKey: sessionKey.replace(/^agent:[^:]*:/, "") };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.toWellFormed() : undefined;
}

function objectSchema(properties: Record<string, unknown>, required: readonly string[]): HostTool["parameters"] {
  return { type: "object", properties, required };
}
