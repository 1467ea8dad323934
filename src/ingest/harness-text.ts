/**
 * The names of elements that a coding agent's program writes into messages: its commands and their
 * output, reminders, notifications, results of hooks, the state of the editor, recalled memories.
 */
const NAME = [
  "(?:local-)?command-[a-z]{1,20}",
  "bash-(?:input|stdout|stderr)",
  "system-[a-z]{1,20}",
  "[a-z]{1,20}[-_]notification",
  "(?:[a-z]{1,20}-){1,4}hook",
  "ide_[a-z_]{1,40}",
  "new-diagnostics",
  "(?:teammate|cross-session)-message",
  "(?:environment|user|apps|plugins|skills)_(?:context|instructions)",
  "tool_use_error|persisted-output|user_shell_command|turn_aborted|collaboration_mode|model_switch",
  "permissions instructions|INSTRUCTIONS|skill|recalled-memory|standing-wishes",
].join("|");
const TAG = `<(${NAME})(?:\\s[^<>\\n]{0,500})?>`;
/** Matches an element that begins a line. Within a sentence, somebody quotes the tag. */
const FIRST = new RegExp(`^[ \\t]*${TAG}`, "gmu");
/** Matches an element that follows another one. */
const NEXT = new RegExp(`\\s*${TAG}`, "yu");
/** Matches the end of an element. */
const CLOSING = new RegExp(`</(${NAME})>`, "gu");
/** Matches the heading that Codex puts before the instructions of a project. */
const HEADING = /^# AGENTS\.md instructions(?: for [^\n]{0,1000})?$/gmu;
/** Matches a line that stands for an interruption. */
const MARKER = /^\[Request interrupted by user[^\]\n]{0,40}\]$/gmu;
/** Matches the tags around a line that the user wants remembered. */
const REMEMBERED = /<\/?user-memory-input>/gu;

/**
 * Returns a message without the elements that the program around a coding agent wrote into it: the
 * words of the speaker. Pure, and linear in the length of the text.
 */
export function spokenText(text: string): string {
  if (!text.includes("<") && !text.includes("[Request")) return text.trim();
  const kept: string[] = [];
  const closings = lastClosings(text);
  let from = 0;
  for (let match = tagAfter(text, 0, false); match; ) {
    const { name, start, end: inside } = match;
    const close = `</${name}>`;
    const end = (closings.get(name) ?? -1) < inside ? -1 : text.indexOf(close, inside);
    if (end !== -1) {
      kept.push(text.slice(from, start));
      from = end + close.length;
    }
    match = tagAfter(text, end === -1 ? inside : from, end !== -1);
  }
  kept.push(text.slice(from));
  return kept.join("\n").replace(MARKER, "").replace(HEADING, "").replace(REMEMBERED, "").trim();
}

/**
 * Returns where each name is closed for the last time. An element without an end is then not searched
 * for: a text may have thousands of them, each with a name of its own.
 */
function lastClosings(text: string): ReadonlyMap<string, number> {
  return new Map([...text.matchAll(CLOSING)].map((match) => [match[1] ?? "", match.index]));
}

/** Returns the next tag that begins an element, at a position or at the beginning of a later line. */
function tagAfter(text: string, at: number, isAfterElement: boolean) {
  const find = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const match = (isAfterElement ? find(NEXT) : null) ?? find(FIRST);
  return match && { name: match[1] ?? "", start: match.index, end: match.index + match[0].length };
}
