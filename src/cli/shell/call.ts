import type { AgentClient } from "../../client/agent-client.ts";
import type { RecollectClient } from "../../client/client.ts";
import { pages } from "../../client/pages.ts";
import { absenceOf, connected, withMemory } from "./connected.ts";
import type { AdminOptions, CliContext, ConnectOptions, RemoteOptions } from "./context.ts";
import { printableLine } from "./printable.ts";
import { tableWidth } from "./table.ts";

/** The most rows that the server puts on a page. */
export const PAGE_ROWS = 1000;

/**
 * Sends a request to the API and prints the answer: as one JSON object with `--json`, else as
 * `render` formats it.
 *
 * @returns 0
 */
export function call<T>(
  context: CliContext,
  options: AdminOptions & Pick<ConnectOptions, "ifMissing" | "irreversible">,
  ask: (client: RecollectClient) => Promise<T>,
  render: (answer: T, width?: number) => string,
): Promise<number> {
  return connected(context, { ...options, brief: true }, async ({ client }) =>
    print(context, options, await ask(client), render),
  );
}

/**
 * Sends a request about one agent's memory and prints the answer as `call` does.
 *
 * @param isEmpty says whether an answer holds nothing. An agent that does not exist yet has an empty
 *   memory too, so a mistyped name would go unnoticed: the command then says that there is none.
 * @returns 0
 */
export function callAgent<T>(
  context: CliContext,
  options: RemoteOptions & Pick<ConnectOptions, "ifMissing" | "irreversible">,
  ask: (memory: AgentClient) => Promise<T>,
  render: (answer: T, width?: number) => string,
  isEmpty: (answer: T) => boolean = () => false,
): Promise<number> {
  return withMemory(context, { ...options, brief: true }, async (memory, { client }) => {
    const answer = await ask(memory);
    print(context, options, answer, render);
    if (options.agent !== undefined && isEmpty(answer)) context.stderr.write(await absenceOf(client, options.agent));
    return 0;
  });
}

/** Prints an answer: as one JSON object with `--json`, else as `render` formats it. @returns 0 */
export function print<T>(
  { stdout }: CliContext,
  { json }: { json?: boolean },
  answer: T,
  render: (answer: T, width?: number) => string,
): 0 {
  stdout.write(json ? `${JSON.stringify(answer)}\n` : render(answer, tableWidth(stdout)));
  return 0;
}

/**
 * Reads a list that may be longer than a page, and prints it as `call` prints an answer. `name` is
 * both the list's path below `/v1` and its field in the answer.
 */
export function callList<T>(
  context: CliContext,
  options: AdminOptions,
  name: string,
  render: (rows: T[], width?: number) => string,
  filter: Record<string, string | undefined> = {},
): Promise<number> {
  type Rows = Record<string, T[]> & { nextCursor?: string };
  const readAll = async (client: RecollectClient) => {
    const list = (query: object) =>
      client.request<Rows>("GET", `/v1/${name}`, { query: { limit: PAGE_ROWS, ...filter, ...query } });
    return { [name]: await all(pages(list, {}, (page) => page[name] ?? [])) };
  };
  return call(context, options, readAll, (answer, width) => render(answer[name] ?? [], width));
}

/** Collects all values of an async iterable. */
export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** Formats lines of a label and its text. A label without a text is left out. */
export function labelled(rows: readonly (readonly [label: string, text: string | undefined])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return rows
    .flatMap(([label, text]) => (text === undefined ? [] : `${label.padEnd(width)}  ${printableLine(text)}\n`))
    .join("");
}

/** Formats an object as lines of `path  value`; nested keys are joined by dots. */
export function fields(answer: object): string {
  const rows = Object.entries(answer).flatMap(([name, value]) => flatten(name, value));
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${printableLine(name).padEnd(width)}  ${printableLine(value)}\n`).join("");
}

function flatten(name: string, value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [[name, value === null ? "–" : String(value)]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[name, "–"]];
  return entries.flatMap(([key, child]) => flatten(`${name}.${key}`, child));
}
