import { callApi } from "./api-client.ts";
import type { CliContext, Connection } from "./context.ts";
import { printableLine } from "./printable.ts";

/** The most that the server puts on a page. */
const PAGE_ROWS = 1000;

/** Options of every administrative command. */
export interface AdminOptions {
  url?: string;
  profile?: string;
  tenant?: string;
  json?: boolean;
}

export interface ApiCall {
  method: string;
  path: string;
  body?: unknown;
}

/** Makes one request and prints the answer: as one JSON object with `--json`, else as `render` says. @returns 0 */
export function call<T>(
  context: CliContext,
  options: AdminOptions,
  { method, path, body }: ApiCall,
  render: (answer: T) => string,
): Promise<number> {
  // Making or erasing a second time is not the same as once: another key, or an error in place of the receipt.
  const repeatable = method === "GET" || method === "PATCH";
  return exchange(context, options, (connection) => callApi<T>(connection, method, path, body, { repeatable }), render);
}

/** The same for a list that may be longer than a page: `name` is both its place below `/v1` and its name in the answer. */
export function callList<T>(
  context: CliContext,
  options: AdminOptions,
  name: string,
  render: (rows: T[]) => string,
  filter: Record<string, string | undefined> = {},
): Promise<number> {
  const readAll = async (connection: Connection) => {
    const rows: T[] = [];
    const query = new URLSearchParams({ limit: String(PAGE_ROWS) });
    for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, value);
    for (;;) {
      const page = await callApi<Record<string, T[]> & { nextCursor?: string }>(
        connection,
        "GET",
        `/v1/${name}?${query}`,
      );
      rows.push(...(page[name] ?? []));
      if (page.nextCursor === undefined) break;
      query.set("cursor", page.nextCursor);
    }
    return { [name]: rows };
  };
  return exchange(context, options, readAll, (answer) => render(answer[name] ?? []));
}

async function exchange<T>(
  context: CliContext,
  options: AdminOptions,
  ask: (connection: Connection) => Promise<T>,
  render: (answer: T) => string,
): Promise<number> {
  const connection = await context.connect(options);
  try {
    const answer = await ask(connection);
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : render(answer));
    return 0;
  } finally {
    await connection.close();
  }
}

/** Rows under a head, in columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => printableLine(cell === null ? "–" : String(cell))));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${cells.map(line).join("\n")}\n`;
}

/** An object as lines of `path  value`, nested keys dotted. */
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
