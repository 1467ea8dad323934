import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ChatModel } from "../models/chat-model.ts";

/** The longest statement that is kept, in characters. */
export const MAX_STATEMENT_CHARS = 500;

/**
 * The shape of a fact's text, without characters that JSON allows and Postgres refuses: one such
 * fact would fail a whole ingest at every attempt.
 */
export const statementText = z
  .string()
  .trim()
  .min(1)
  .max(MAX_STATEMENT_CHARS)
  .refine((one) => one.isWellFormed() && !one.includes("\0"));
/** The shape of a fact's importance. */
export const statementImportance = z.number().min(0).max(1);

/** The facts in a model's answer. */
export interface Extraction<T> {
  readonly facts: readonly T[];
  /** The number of the answer's entries that were dropped. */
  readonly dropped: number;
}

/** A question to a chat model about the facts in a text. */
interface FactQuestion<T> {
  /** The instructions. */
  readonly system: string;
  readonly text: string;
  /** The JSON schema of the answer, for models that follow one. */
  readonly schema?: Record<string, unknown>;
  /** The shape of one fact. Other entries are dropped. */
  readonly shape: z.ZodType<T>;
}

const MAX_TOKENS = 2000;

/**
 * Asks a chat model once for the facts in a text. The text is enclosed between two marks, and
 * everything in the answer that is not a fact of the wanted shape is dropped, so a text can
 * neither change the instructions nor smuggle in other data.
 *
 * @throws AppError `model_unavailable` or `model_rejected`, or the abort reason of `signal`
 */
export async function askForFacts<T>(
  chat: ChatModel,
  { system, text, schema, shape }: FactQuestion<T>,
  signal: AbortSignal,
): Promise<Extraction<T>> {
  const answer = await chat.complete({ system, user: enclosed(text), maxTokens: MAX_TOKENS }, signal, schema);
  return readFactAnswer(answer, shape);
}

/**
 * Encloses a text between two random marks. The text cannot close the block, because its author
 * does not know the mark.
 */
function enclosed(text: string): string {
  const mark = `=====${randomUUID()}=====`;
  return `${mark}\n${text}\n${mark}`;
}

/** The longest answer that is read in full. The rest of a longer one is ignored. */
const MAX_ANSWER_CHARS = 100_000;
/**
 * The most facts from one turn or piece of a file. More are noise, or the work of a manipulated
 * model.
 */
const MAX_FACTS = 20;

/**
 * Reads facts from a model's answer one by one: `{"facts": [...]}`, or one JSON object a line, in a
 * fence or not. Entries that do not parse, have another shape or come after the twentieth are
 * dropped and counted.
 */
function readFactAnswer<T>(answer: string, shape: z.ZodType<T>): Extraction<T> {
  const entries = entriesOf(answer.slice(0, MAX_ANSWER_CHARS));
  const facts = entries.flatMap((entry) => {
    const parsed = shape.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
  return { facts: facts.slice(0, MAX_FACTS), dropped: entries.length - Math.min(facts.length, MAX_FACTS) };
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

/** Returns undefined, which no shape accepts, for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
