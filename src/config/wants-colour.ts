/**
 * Returns whether to write to a stream in colour, by the conventions of FORCE_COLOR and NO_COLOR.
 * FORCE_COLOR takes precedence, as in Node. It is called before the rest of the environment is
 * known to be valid.
 */
export function wantsColour(
  stream: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return !none && terminal !== "dumb" && stream.isTTY === true;
}
