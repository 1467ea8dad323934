import { paint } from "./paint.ts";
import { printableLine } from "./printable.ts";

/**
 * Fields of a log line that are not listed after its message: level and message are shown in
 * another way, and the time and the ids are useful only in a log that is searched.
 */
const LEFT_OUT = new Set(["level", "time", "msg", "requestId", "jobId", "tenantId"]);
const ERROR = 50;
const WARNING = 40;

/**
 * Returns a stream that turns lines of the log into text for a terminal: `warning: the provider
 * refuses texts (agentId main, chunks 3)`. It is for the logger of a command that runs the service
 * in its own process; a server's log stays JSON.
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

/** Fields of an error that only help a reader who has the code. */
const OF_ERRORS = new Set(["type", "stack"]);

/** Returns a value in words; for an error, its message and code. */
function pairs(key: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return [`${key} ${value.map(String).join(" ")}`];
  if (typeof value !== "object") return [`${key} ${String(value)}`];
  return Object.entries(value).flatMap(([name, part]) => (OF_ERRORS.has(name) ? [] : pairs(name, part)));
}
