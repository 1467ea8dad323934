import { agentPath, callApi } from "./api-client.ts";
import type { CliContext, RemoteOptions } from "./context.ts";
import { printableLine } from "./printable.ts";

/** `recollect status`. */
export async function status(context: CliContext, options: RemoteOptions): Promise<number> {
  const connection = await context.connect(options.url === undefined ? {} : { url: options.url });
  try {
    const answer = await callApi<Record<string, unknown>>(connection, "GET", agentPath(options.agent, "status"));
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : table(answer));
    return 0;
  } finally {
    await connection.close();
  }
}

function table(answer: Record<string, unknown>): string {
  const rows = Object.entries(answer).flatMap(([name, value]) => flatten(name, value));
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${printableLine(value)}\n`).join("");
}

function flatten(name: string, value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [[name, value === null ? "–" : String(value)]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[name, "–"]];
  return entries.flatMap(([key, child]) => flatten(`${name}.${key}`, child));
}
