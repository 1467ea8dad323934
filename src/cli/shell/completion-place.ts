/** What can follow a command, as the scripts need it. */
export interface Place {
  /** The words of the command, each with a space before it; empty for `recollect` itself. */
  at: string;
  commands: readonly { name: string; summary: string }[];
  options: readonly { flags: readonly string[]; summary: string; takesValue: boolean; choices: readonly string[] }[];
  /** What its first argument can be. */
  choices: readonly string[];
}

/** Text in single quotes of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `case` patterns of the words that lead from one command to the next. */
export function stepPatterns(places: readonly Place[]): string {
  return places.flatMap(({ at }) => (at === "" ? [] : [quoted(at)])).join("|");
}

/** `case` patterns of a command and one of its options, for those that `wanted` takes. */
export function optionPatterns(
  places: readonly Place[],
  wanted: (option: Place["options"][number]) => boolean,
): string {
  const found = places.flatMap(({ at, options }) =>
    options.filter(wanted).flatMap(({ flags }) => flags.map((flag) => quoted(`${at} ${flag}`))),
  );
  return found.join("|");
}
