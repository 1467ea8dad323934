/** The beginning of a part that a program wrote, and its end, which is exclusive. */
export interface MachineSpan {
  readonly start: number;
  readonly end: number;
}

/** The names of channels that are hardly ever a word of a note in brackets. */
const CHANNEL =
  "(?:telegram|whats ?app|discord|slack|imessage|bluebubbles|sms|ms ?teams|google ?chat|mattermost|wechat|viber|zalo|feishu|webchat)";
/** A date, a time zone or a channel, which an envelope has beside the time. "[Meeting 14:00]" is a note. */
const OF_ENVELOPE = `(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\b(?:gmt|utc|cest?|eest?|[pmec][sd]t|bst|ist|jst|aes?t)\\b|\\b(?:${CHANNEL}|signal|matrix|teams|line|irc|messenger|nostr)\\b)`;
/**
 * Matches the envelope that a channel puts before a message: "[Telegram Ana id:12 2026-05-04 09:15
 * GMT+2] ", "[Slack Ana] ".
 */
const ENVELOPE = new RegExp(
  `^\\s{0,20}\\[(?:(?=[^\\]\\n]{0,240}${OF_ENVELOPE})\\p{L}[^\\]\\n]{0,200}?\\d{1,2}:\\d\\d[^\\]\\n]{0,40}|${CHANNEL}(?:[ :#][^\\]\\n]{1,200})?|\\d[^\\]\\n]{0,60} ${CHANNEL})\\]:?[ \\t]*`,
  "iu",
);
/** Matches the beginning of a message that a program wrote into the user's place. */
const MACHINE = new RegExp(
  `^\\s{0,20}(?:${[
    // "[Subagent Context] …", "[cron:7 daily] …", "[System Message] …", "[Compacted summary] …".
    String.raw`\[(?:[\p{L}-]{1,20} ){0,3}(?:\p{L}[\p{L}-]{1,20} context|system (?:message|event|note)|sub-?agent|cron|hook|heartbeat|inter-session|automated|queued|tool (?:call|result|output)|memory|compact(?:ed|ion)|thread history)\b[^\]\n]{0,120}\]`,
    // Compaction summaries, and the notes that programs write before and after them.
    String.raw`(?:pre-?|post-?)?compaction\b[^\n]{0,60}(?:flush|summary|[.:])`,
    String.raw`(?:the |this )?(?:conversation|chat|session|context)(?: (?:history|window))?(?: is)? (?:near(?:s|ing)?|approaching|close to|about to be)\b[^\n]{0,40}\b(?:compact|limit)`,
    String.raw`this session is being continued from\b`,
    String.raw`the (?:conversation|chat|session)(?: history)? (?:before|up to|so far)\b[^\n]{0,80}\b(?:compacted|summari[sz]ed|condensed)\b`,
    String.raw`(?:#{1,6} |\*\*)?(?:compact(?:ion|ed)? )?(?:summary|recap) of (?:the |our |this )?(?:(?:previous|earlier) )?(?:conversation|chat|session)s?(?! (?:with|about|between|on|at)\b)`,
    String.raw`(?:#{1,6} |\*\*)?(?:previous|earlier|prior|compacted|compaction|handoff)(?: (?:conversation|session|chat|context))? (?:summary|recap)\b`,
    String.raw`(?:#{1,6} |\*\*)?(?:conversation|session|chat|context) (?:summary|recap)\**:?\**[ \t]*(?:\n|$)`,
    String.raw`a new session was started\b`,
    String.raw`heartbeat(?:$|[ \t]*[:.!\n]| (?:poll|check|prompt|ok)\b)`,
    String.raw`you are (?:a |an |the )?(?:running as a )?(?:sub-?agent|helpful assistant|assistant running)\b`,
  ].join("|")})`,
  "iu",
);
const RECALL = "(?:relevant|recalled|retrieved|remembered|injected|stored|saved|long-term|persistent|past)";
const MEMORIES = "(?:memory|memories)";
/** Matches the first line of memories that a program recalled; the lines after it are the memories. */
const RECALLED = new RegExp(
  `^\\s{0,20}(?:#{1,6} |\\*{1,2})?(?:${[
    `${RECALL}(?: (?:user|past|long-term|stored))? ${MEMORIES}\\b`,
    `(?:user|your) ${MEMORIES}\\b`,
    `${MEMORIES} (?:about|of|on|from|for) (?:the |this )?(?:user|past|previous|earlier)\\b`,
    `(?:here are |these are |the following )?(?:are )?(?:some |the )?(?:possibly )?(?:relevant )?${MEMORIES} (?:that |which )?(?:may|might|could|are|were)\\b`,
    `(?:recalled|retrieved|remembered|injected) (?:facts|context|notes)\\b`,
    "(?:known |stored |saved |remembered )?facts about (?:the|this) user\\b",
    "(?:what (?:i|we) (?:already )?(?:know|remember)|previously learned|things (?:i|we) remember) about (?:you|the user|this user)\\b",
    "(?:context|notes|facts) from (?:the |our |your )?(?:previous|earlier|past|last|prior) (?:conversation|session|chat)s?\\b",
  ].join("|")})[^\\n]{0,60}?[:.]?\\*{0,2}\\s*$`,
  "iu",
);
/** Matches further lines after which memories may stand, or a person's own list. */
const PERHAPS_RECALLED =
  /^\s{0,20}(?:#{1,6} |\*{2})?(?:(?:relevant|known|related|user) facts\b[^\n]{0,60}:?|(?:related )?(?:memory|memories):?|user(?:'s)? profile:?)\**\s*$/iu;
/** Matches a tag around memories or a note of a program. */
const TAG =
  /^\s{0,20}<((?:[a-z]{1,20}[-_]){0,3}(?:memor(?:y|ies)|recall(?:ed)?|supermemory)(?:[-_][a-z]{1,20}){0,3}|standing-wishes|system-reminder|environment[-_](?:context|details)|user[-_]profile)(?:\s[^>\n]{0,200})?>/i;
/** Matches such a tag whose name may be one of a configuration: it counts on a line of its own only. */
const COMMON_TAG = /^memory$/i;
/** The pairs of lines between which a channel puts its data and other people's messages. */
const FRAMES: readonly {
  readonly opens: (line: string, next: string | undefined) => boolean;
  readonly close: RegExp;
}[] = [
  { opens: (line) => /^\s{0,20}\[replying to\b[^\]\n]{0,200}\]/iu.test(line), close: /^\s{0,20}\[\/reply(?:ing)?\]/iu },
  {
    opens: (line) => /^\s{0,20}\[(?:chat|thread|group) (?:messages|history)\b[^\]\n]{0,120}\]\s*$/iu.test(line),
    close: /^\s{0,20}\[current message\b[^\]\n]{0,120}\]/iu,
  },
  {
    opens: (line, next = "") =>
      /^\s{0,20}[^\n]{1,60}\(untrusted[^)\n]{0,60}\):?\s*$/iu.test(line) && /^\s{0,3}```/.test(next),
    close: /^\s{0,3}```\s*$/,
  },
];
/** Matches a line that a program puts beside a message. */
const MACHINE_LINE =
  /^\s{0,20}(?:\[(?:message|thread|chat|reply|sender)[_ -]id:[^\]\n]{0,200}\]\s*$|system: \[\d[^\]\n]{0,40}\]|<media:[a-z]{1,20}>\s*$)/iu;
const ITEM = /^\s{0,20}(?:[-*•+–]|\d{1,3}[.)])\s/u;
const EMPTY = /^\s*$/;

/** Returns whether a program wrote a message that stands in the user's place. */
export function isMachineText(text: string): boolean {
  return MACHINE.test(text);
}

interface Speech {
  /**
   * Whether a person is the speaker. Texts of others may well look like a program's, so only memories
   * in tags are found in them.
   */
  readonly isSpoken: boolean;
  /** Whether a list that may be somebody's own counts as memories. */
  readonly isCautious?: boolean;
}

/**
 * Returns the parts of a message that a program wrote, in order: the envelope of a channel, recalled
 * memories, data beside the message, or the whole message. Takes time linear in the text.
 */
export function machineSpans(text: string, speech: Speech): MachineSpan[] {
  const whole = [{ start: 0, end: text.length }];
  if (speech.isSpoken && isMachineText(text)) return whole;
  const lines = text.split("\n");
  const starts = startsOf(lines);
  const closing = closingLines(lines);
  const spans: MachineSpan[] = [];
  let isBegun = !speech.isSpoken;
  for (let at = 0; at < lines.length; at++) {
    const [line, start] = [lines[at] ?? "", starts[at] ?? 0];
    const block = blockAt(lines, at, closing, speech);
    if (block) {
      spans.push({ start, end: (starts[block.line] ?? 0) + block.column });
      at = block.line;
    } else if (!isBegun && !EMPTY.test(line)) {
      const envelope = ENVELOPE.exec(line)?.[0].length ?? 0;
      if (envelope > 0 && isMachineText(text.slice(start + envelope))) return whole;
      if (envelope > 0) spans.push({ start, end: start + envelope });
      isBegun = line.length > envelope;
    }
  }
  return spans;
}

function startsOf(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const own = start;
    start += line.length + 1;
    return own;
  });
}

/** Replaces parts of a text, in time linear in the text. The parts are in order. */
export function replaceSpans(text: string, spans: readonly MachineSpan[], replace: (part: string) => string): string {
  let from = 0;
  const parts = spans.map(({ start, end }) => {
    const part = text.slice(from, start) + replace(text.slice(start, end));
    from = end;
    return part;
  });
  return parts.join("") + text.slice(from);
}

interface Message {
  readonly role: string;
  readonly text: string;
}

/** Removes the parts that a program wrote from a message. The number of lines stays. */
export function withoutMachineText({ role, text }: Message): string {
  const spans = machineSpans(text, { isSpoken: role === "user" || role === "system" });
  return replaceSpans(text, spans, (part) => part.replace(/[^\n]+/g, ""));
}

/**
 * Returns the part of a message that is indexed and shown; undefined if a program wrote the whole
 * message.
 */
export function indexedText(message: Message): string | undefined {
  const rest = withoutMachineText(message);
  return rest !== message.text && EMPTY.test(rest) ? undefined : rest;
}

/** Returns the last line that closes each kind of block, so that many open ones do not cause many searches. */
function closingLines(lines: readonly string[]): Map<string, number> {
  const last = lastClosingTags(lines);
  for (const [index, line] of lines.entries())
    for (const { close } of FRAMES) if (close.test(line)) last.set(close.source, index);
  return last;
}

/** Returns the last line on which each tag is closed, by the tag's name in small letters. */
export function lastClosingTags(lines: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries())
    for (const [, name] of line.matchAll(/<\/([a-z][\w:-]{0,80})/gi)) last.set((name ?? "").toLowerCase(), index);
  return last;
}

/** Returns the last line and the column behind the end of the machine text that begins at a line. */
function blockAt(
  lines: readonly string[],
  at: number,
  closing: ReadonlyMap<string, number>,
  { isSpoken, isCautious = false }: Speech,
): { line: number; column: number } | undefined {
  const line = lines[at] ?? "";
  const [opening = "", name] = TAG.exec(line) ?? [];
  if (name !== undefined) {
    if (COMMON_TAG.test(name) && !EMPTY.test(line.slice(opening.length))) return undefined;
    const close = new RegExp(`</${name}>`, "i");
    return endingAt(lines, at, close, closing.get(name.toLowerCase()));
  }
  if (!isSpoken) return undefined;
  if (MACHINE_LINE.test(line)) return { line: at, column: line.length };
  for (const { opens, close } of FRAMES)
    if (opens(line, lines[at + 1])) return endingAt(lines, at + 2, close, closing.get(close.source));
  if (!RECALLED.test(line) && !(isCautious && PERHAPS_RECALLED.test(line))) return undefined;
  const last = lastMemory(lines, at);
  return { line: last, column: (lines[last] ?? "").length };
}

/** Returns the end of the first match of a pattern, if the last one is not before. */
function endingAt(lines: readonly string[], from: number, close: RegExp, last = -1) {
  for (let line = from; line <= last; line++) {
    const match = close.exec(lines[line] ?? "");
    if (match) return { line, column: match.index + match[0].length };
  }
  return undefined;
}

/** Returns the last line of the memories below a heading: before an empty line, or of the list behind one. */
function lastMemory(lines: readonly string[], heading: number): number {
  let at = heading;
  if (EMPTY.test(lines[at + 1] ?? "") && ITEM.test(lines[at + 2] ?? "")) at++;
  while (at + 1 < lines.length && !EMPTY.test(lines[at + 1] ?? "")) at++;
  return at;
}
