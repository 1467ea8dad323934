/** Beyond this number of pairs of lines, differing parts are shown as replaced as a whole. */
const MOST_PAIRS = 4_000_000;
/** The equal lines around a change that are shown. */
const AROUND = 3;

interface Line {
  sign: " " | "+" | "-";
  text: string;
}

/**
 * Returns the changes from one text to another as a unified diff with its two head lines, as the
 * service gives it for versions. Returns "" for equal texts.
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return "";
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const middle = changed(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const equal = (text: string): Line => ({ sign: " ", text });
  const lines = [
    ...old.slice(Math.max(0, head - AROUND), head).map(equal),
    ...shortened(middle),
    ...old.slice(old.length - tail, old.length - tail + AROUND).map(equal),
  ];
  return ["---", "+++", ...lines.map(({ sign, text }) => `${sign}${text}`)].join("\n");
}

/** Returns the lines of both texts in order. A line that both texts have is returned once. */
function changed(old: readonly string[], now: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ sign: "-", text });
  const added = (text: string): Line => ({ sign: "+", text });
  if (old.length * now.length > MOST_PAIRS) return [...old.map(removed), ...now.map(added)];
  const common = commonLines(old, now);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    const [a, b] = [old[i] ?? "", now[j] ?? ""];
    if (a === b) {
      lines.push({ sign: " ", text: a });
      i++;
      j++;
    } else if (common(i + 1, j) >= common(i, j + 1)) {
      lines.push(removed(a));
      i++;
    } else {
      lines.push(added(b));
      j++;
    }
  }
  return [...lines, ...old.slice(i).map(removed), ...now.slice(j).map(added)];
}

/** Returns a function that says how many lines both texts have in common from two lines on. */
function commonLines(old: readonly string[], now: readonly string[]): (i: number, j: number) => number {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

/** Leaves out equal lines that are far from every change. */
function shortened(lines: readonly Line[]): Line[] {
  const near = new Uint8Array(lines.length);
  for (const [at, { sign }] of lines.entries())
    if (sign !== " ") near.fill(1, Math.max(0, at - AROUND), Math.min(lines.length, at + AROUND + 1));
  return lines.filter((_, at) => near[at] === 1);
}
