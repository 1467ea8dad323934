import { callApi } from "./api-client.ts";
import type { CliContext } from "./context.ts";
import { printableLine } from "./printable.ts";

/** Options of every administrative command. */
export interface AdminOptions {
  url?: string;
  tenant?: string;
  json?: boolean;
}

export interface ApiCall {
  method: string;
  path: string;
  body?: unknown;
}

/** Makes one request and prints the answer: as one JSON object with `--json`, else as `render` says. @returns 0 */
export async function call<T>(
  context: CliContext,
  options: AdminOptions,
  request: ApiCall,
  render: (answer: T) => string,
): Promise<number> {
  const { url, tenant } = options;
  const connection = await context.connect({
    ...(url === undefined ? {} : { url }),
    ...(tenant === undefined ? {} : { tenant }),
  });
  try {
    const answer = await callApi<T>(connection, request.method, request.path, request.body);
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
