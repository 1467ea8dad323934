import { paint } from "./paint.ts";
import { printableLine } from "./printable.ts";

/** What a line of the log says besides its message and what only a log is searched for. */
const LEFT_OUT = new Set(["level", "time", "msg", "requestId", "jobId", "tenantId"]);
const ERROR = 50;
const WARNING = 40;

/**
 * Lines of the log for the reader of a terminal: `warning: the provider refuses texts (agentId main, chunks 3)`. For the logger
 * of a command that has the service in its own process; a server's log stays JSON.
 */
export function logLines(stderr: { write(text: string): unknown }, colour: boolean): { write(line: string): void } {
  return { write: (line) => void stderr.write(`${readable(line, colour)}\n`) };
}

function readable(line: string, colour: boolean): string {
  const entry = parse(line);
  if (!entry) return printableLine(line.trimEnd());
  const level = Number(entry.level);
  const label = level >= ERROR ? paint("red", "error:", colour) : paint("yellow", "warning:", colour);
  const details = Object.entries(entry).flatMap(([key, value]) => (LEFT_OUT.has(key) ? [] : pairs(key, value)));
  const text = `${String(entry.msg ?? "")}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
  return level >= WARNING ? `${label} ${printableLine(text)}` : printableLine(text);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** What of an error is for those who have the code beside them. */
const OF_ERRORS = new Set(["type", "stack"]);

/** A value in words; of an error, its message and code. */
function pairs(key: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return [`${key} ${value.map(String).join(" ")}`];
  if (typeof value !== "object") return [`${key} ${String(value)}`];
  return Object.entries(value).flatMap(([name, part]) => (OF_ERRORS.has(name) ? [] : pairs(name, part)));
}
