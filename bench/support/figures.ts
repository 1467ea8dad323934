/** Latencies in milliseconds, and the throughput. */
export interface Figures {
  p50: number;
  p95: number;
  p99: number;
  perSecond: number;
}

/** Returns the value below which `share` of the values lie; 0 if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}

/** The time of each piece of work in milliseconds, and of all of them together in seconds. */
export interface Timed {
  ms: number[];
  seconds: number;
}

/**
 * Runs `rounds` pieces of work with `clients` clients. Each client starts the next piece when its
 * last is done.
 */
export async function timed(
  clients: number,
  rounds: number,
  work: (round: number) => Promise<unknown>,
): Promise<Timed> {
  const ms: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < rounds) {
      const round = next++;
      const began = performance.now();
      await work(round);
      ms.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return { ms, seconds: (performance.now() - began) / 1000 };
}

export function figuresOf({ ms, seconds }: Timed): Figures {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(ms, share)) as [number, number, number];
  return { p50, p95, p99, perSecond: ms.length / seconds };
}

/** Runs pieces of work as `timed` does and returns their figures. */
export async function measure(...asked: Parameters<typeof timed>): Promise<Figures> {
  return figuresOf(await timed(...asked));
}

/**
 * Prints the result of a benchmark: one line per row, numbers aligned to the right. Prints JSON if
 * the arguments have `--json`.
 */
export function printRows(title: string, rows: readonly Record<string, string | number | undefined>[]): void {
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ title, rows }));
    return;
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: string | number | undefined) =>
    typeof value === "number" ? value.toFixed(digitsOf(value)) : (value ?? "–");
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0));
  console.log(title);
  for (const line of lines) console.log(line.map(pad).join("  ").trimEnd());
}

function digitsOf(value: number): number {
  if (Number.isInteger(value)) return 0;
  return Math.abs(value) < 1 ? 3 : Math.abs(value) < 1000 ? 1 : 0;
}
