import { z } from "zod";

/** The part of a JSON schema that our readers of requests look at. */
export interface Described {
  readonly $ref?: string;
  readonly $defs?: Record<string, Described>;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly allOf?: readonly Described[];
  readonly properties?: Record<string, Described>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Described;
  readonly items?: Described;
  readonly prefixItems?: readonly Described[];
  readonly maxItems?: number;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The marks of the schema, see `markSchema`. */
  readonly marks?: readonly SchemaMark[];
  /** Other names of the field, see `alsoNamed`. */
  readonly names?: readonly string[];
  /** Other words for the choices, see `alsoChosenAs`. */
  readonly words?: Readonly<Record<string, string>>;
}

/**
 * How a model's value is read, beyond what a JSON schema says. `day ends`: a day stands for its last
 * moment, not for its first. `words`: a text of words, which may come as a list; in a list, a text
 * with commas is several.
 */
export type SchemaMark = "day ends" | "words";

const marked = new WeakMap<object, SchemaMark>();
const named = new WeakMap<object, readonly string[]>();
const worded = new WeakMap<object, Readonly<Record<string, string>>>();
const known = new WeakMap<z.ZodType, Described>();

/** Marks a schema, and returns it. The mark is not part of the schema that clients are shown. */
export function markSchema<T extends z.ZodType>(schema: T, mark: SchemaMark): T {
  marked.set(schema, mark);
  return schema;
}

/**
 * Gives the schema of a field other names, by which models call the field, and returns the schema. The
 * names are not part of the schema that clients are shown.
 */
export function alsoNamed<T extends z.ZodType>(schema: T, ...names: readonly string[]): T {
  named.set(schema, names);
  return schema;
}

/**
 * Gives the choices of a schema other words, by which models call them, and returns the schema. The words
 * are not part of the schema that clients are shown.
 *
 * @param words the choice by each word, which is in lower case and in the singular
 */
export function alsoChosenAs<T extends z.ZodType>(schema: T, words: Readonly<Record<string, string>>): T {
  worded.set(schema, words);
  return schema;
}

/** Returns what is known of a schema. `describe` makes a copy, whose parent is the schema that was given. */
function lookUp<T>(known: WeakMap<object, T>, schema: z.core.$ZodType): T | undefined {
  for (let one: z.core.$ZodType | undefined = schema; one; one = one._zod.parent) {
    const found = known.get(one);
    if (found) return found;
  }
  return undefined;
}

/** Returns the JSON schema of a schema's input. It is made once for each schema. */
export function describeSchema(schema: z.ZodType): Described {
  const before = known.get(schema);
  if (before) return before;
  const described = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const [mark, names, words] = [marked, named, worded].map((known) => lookUp<unknown>(known, zodSchema));
      const described = jsonSchema as Record<"marks" | "names" | "words", unknown>;
      if (mark) described.marks = [mark];
      if (names) described.names = names;
      if (words) described.words = words;
    },
  }) as Described;
  known.set(schema, described);
  return described;
}
