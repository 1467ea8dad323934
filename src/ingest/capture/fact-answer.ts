import { z } from "zod";

/** Of a longer answer the rest is not read. */
const MAX_ANSWER_CHARS = 100_000;
/** More out of one turn or one piece of a file is noise, or a model that was talked into it. */
const MAX_FACTS = 20;

/** What a model answered: what has the shape that was asked for, and how much has not. */
export interface FactAnswer<T> {
  readonly items: readonly T[];
  readonly dropped: number;
}

/**
 * Reads facts out of a model's answer, one by one: `{"facts": [...]}`, or one JSON object a line, in a fence or not. What does
 * not parse, has another shape or comes after the twentieth is dropped and counted; nothing of an answer does more than that.
 *
 * @param shape of one fact
 */
export function readFactAnswer<T>(answer: string, shape: z.ZodType<T>): FactAnswer<T> {
  const entries = entriesOf(answer.slice(0, MAX_ANSWER_CHARS));
  const items = entries.flatMap((entry) => {
    const parsed = shape.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
  return { items: items.slice(0, MAX_FACTS), dropped: entries.length - Math.min(items.length, MAX_FACTS) };
}

const whole = z.union([
  z.strictObject({ facts: z.array(z.unknown()) }).transform(({ facts }) => facts),
  z.array(z.unknown()),
]);

function entriesOf(answer: string): unknown[] {
  const lines = answer.split("\n").filter((line) => !/^\s*(?:```\w*)?\s*$/.test(line));
  const parsed = whole.safeParse(parse(lines.join("\n")));
  return parsed.success ? parsed.data : lines.map(parse);
}

/** Undefined, which no shape accepts, for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
