/** The kinds of values by the names that zod has for them. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Patterns of sentences of zod, each with the words that replace the sentence. */
const WORDS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^Invalid input: expected \w+, received undefined$/, () => "is missing"],
  // A parameter or variable that is no number became NaN. Its sender does not know that word.
  [/^Invalid input: expected (\w+), received NaN$/, (wanted) => `must be ${kind(wanted)}`],
  [/^Invalid input: expected int, received number$/, () => "must be a whole number"],
  [/^Invalid input: expected (\w+), received (\w+)$/, (wanted, given) => `must be ${kind(wanted)}, not ${kind(given)}`],
  [/^Too small: expected \w+ to be >=(\S+)$/, (least) => `must be ${least} or more`],
  [/^Too small: expected \w+ to be >(\S+)$/, (bound) => `must be more than ${bound}`],
  [/^Too big: expected \w+ to be <=(\S+)$/, (most) => `must be ${most} or less`],
  [/^Too big: expected \w+ to be <(\S+)$/, (bound) => `must be less than ${bound}`],
  [/^Too small: expected \w+ to have >=1 \w+$/, () => "must not be empty"],
  [/^Too small: expected \w+ to have >=(\d+) (\w+)$/, (least, unit) => `must have at least ${least} ${unit}`],
  [/^Too big: expected \w+ to have <=(\d+) (\w+)$/, (most, unit) => `must have at most ${most} ${unit}`],
  [/^Invalid ISO date$/, () => "must be a day, such as 2026-05-18"],
  [/^Invalid UUID$/, () => "must be a UUID"],
  [/^Unrecognized keys?: (.*)$/s, (names) => `has no field ${names}`],
  [/^Invalid option: expected one of (.*)$/s, (values) => `must be one of ${values.replaceAll('"|"', '", "')}`],
];

/**
 * Returns a message of zod as part of a sentence about the field, such as `must be a number, not a
 * text`. A schema's own message is returned unchanged.
 */
export function plainProblem(message: string): string {
  for (const [pattern, word] of WORDS) {
    const found = pattern.exec(message);
    if (found) return word(...found.slice(1));
  }
  return message;
}

function kind(name = ""): string {
  return KINDS[name] ?? `a ${name}`;
}
