/** Matches the envelope that a channel puts before a message: "[Telegram Ana id:12 2026-05-04 09:15 GMT+2] ". */
const ENVELOPE = /^\s{0,20}\[\p{L}[^\]\n]{0,200}?\d{1,2}:\d\d[^\]\n]{0,40}\]:?[ \t]*/u;
/** Matches the beginning of a message that a program wrote into the user's place. */
const MACHINE = new RegExp(
  `^\\s{0,20}(?:${[
    // "[Subagent Context] …", "[cron:7 daily] …", "[System Message] …".
    String.raw`\[(?:[\p{L}-]{1,20} ){0,3}(?:context|system|sub-?agent|cron|hook|heartbeat|reminder|task|notification|internal|inter-session|automated|queued|tool)\b[^\]\n]{0,120}\]`,
    String.raw`(?:system|automated) (?:message|notification|reminder|event)s?\b[^\n]{0,60}:`,
    // Compaction summaries.
    String.raw`this session is being continued from\b`,
    String.raw`the (?:conversation|chat|session)(?: history)? (?:before|up to|so far)\b[^\n]{0,80}\b(?:compacted|summari[sz]ed|condensed)\b`,
    String.raw`(?:#{1,6} |\*\*)?(?:compact(?:ion|ed)? )?(?:summary|recap) of (?:the |our |this )?(?:conversation|chat|session|previous|earlier|discussion)\b`,
    String.raw`(?:#{1,6} |\*\*)?(?:conversation|session|chat|context|compaction|handoff|previous conversation|earlier conversation) (?:summary|recap)\b`,
    String.raw`a new session was started\b`,
    String.raw`heartbeat\b`,
    String.raw`you are (?:a |an |the )?(?:sub-?agent|helpful assistant|assistant running)\b`,
  ].join("|")})`,
  "iu",
);
/** Matches the first line of memories that a program recalled; the lines after it are the memories. */
const RECALLED =
  /^\s{0,20}(?:#{1,6} |\*{2})?(?:relevant|recalled|retrieved|known|stored|saved|related|user|long-term)(?: (?:user|past|long-term|stored))? (?:memory|memories|facts)\b[^\n]{0,60}:?\**\s*$/iu;
/** Matches a request to keep nothing of the message. */
const PRIVATE =
  /(?:^|[\s(])(?:(?:please )?(?:don'?t|do not|never|no need to) (?:ever )?(?:save|store|remember|memori[sz]e|note|record|keep|log|write down|capture)(?: down)? (?:this|that|it|the following|any of (?:this|it)|anything|what i)(?![\p{L}\p{N}])|off the record|(?:just )?between (?:you and me|us)(?![\p{L}\p{N}])|this (?:stays|is) (?:private|between us|confidential)|keep (?:this|that) (?:to yourself|out of (?:your )?memory|secret|private|off the record)|forget (?:this|that|it)(?: right)? (?:afterwards|after|immediately|when))/iu;

/** Returns how many characters at the start of a message are a channel's envelope. */
export function envelopeLength(text: string): number {
  return ENVELOPE.exec(text)?.[0].length ?? 0;
}

/** Returns whether a program wrote the message, or the user wants nothing of it kept. */
export function isNotToKeep(text: string): boolean {
  return MACHINE.test(text) || PRIVATE.test(text.replaceAll("’", "'"));
}

/** Returns whether a list of recalled memories begins at this line. It ends at the next empty line. */
export function beginsMemories(line: string): boolean {
  return RECALLED.test(line);
}
