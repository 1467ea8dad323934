/** The answer of a tool when the memory cannot be asked, in the form of Recollect's own tools. */
export interface Unavailable {
  results: [];
  disabled: true;
  unavailable: true;
  error: string;
  warning: string;
  action: string;
}

/** Returns the answer of a tool when the server is away or refuses the plugin's requests. */
export function unavailable(reason: { away: string } | { refused: string }): Unavailable {
  const [error, why, action] =
    "away" in reason
      ? ["service_unreachable", reason.away, "Tell the user that memory is unavailable at the moment. Try again later."]
      : ["refused", reason.refused, "Tell the user that the memory plugin's settings need a look."];
  return {
    results: [],
    disabled: true,
    unavailable: true,
    error,
    warning: `Long-term memory could not be searched. ${why}`,
    action,
  };
}

/**
 * Returns the text for the prompt of a turn during which the memory is away. Without it, the model
 * would take an empty memory for a person that it never met.
 */
export function outageNote(reason: string): string {
  return [
    "<memory-status>",
    `Long-term memory is unavailable at the moment: ${reason.replace(/[<>\p{Cc}]+/gu, " ")}`,
    "Nothing was recalled for this message. Do not conclude that nothing is known about it; if the answer depends on memory, say that memory is unavailable.",
    "</memory-status>",
  ].join("\n");
}
