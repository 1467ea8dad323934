import { isMachineText } from "../../../ingest/machine-text.ts";

/** Matches beginnings of messages that are a program's as a rule, but may be a person's. */
const PERHAPS_MACHINE = new RegExp(
  `^\\s{0,20}(?:${[
    String.raw`\[(?:[\p{L}-]{1,20} ){0,3}(?:context|system|notification|internal|tool|reminder|task)\b[^\]\n]{0,120}\]`,
    String.raw`(?:system|automated) (?:message|notification|reminder|event)s?\b[^\n]{0,60}:`,
    String.raw`(?:#{1,6} |\*\*)?(?:summary|recap) of (?:the |our |this )?(?:conversation|chat|session|previous|earlier|discussion)\b`,
    String.raw`(?:#{1,6} |\*\*)?(?:conversation|session|chat|context) (?:summary|recap)\b`,
    String.raw`heartbeat\b`,
  ].join("|")})`,
  "iu",
);
/** Matches a request to keep nothing of the message. */
const PRIVATE =
  /(?:^|[\s(])(?:(?:please )?(?:don'?t|do not|never|no need to) (?:ever )?(?:save|store|remember|memori[sz]e|note|record|keep|log|write down|capture)(?: down)? (?:this|that|it|the following|any of (?:this|it)|anything|what i)(?![\p{L}\p{N}])|off the record|(?:just )?between (?:you and me|us)(?![\p{L}\p{N}])|this (?:stays|is) (?:private|between us|confidential)|keep (?:this|that) (?:to yourself|out of (?:your )?memory|secret|private|off the record)|forget (?:this|that|it)(?: right)? (?:afterwards|after|immediately|when))/iu;

/** Returns whether a program probably wrote the message, or the user wants nothing of it kept. */
export function isNotToKeep(text: string): boolean {
  return isMachineText(text) || PERHAPS_MACHINE.test(text) || PRIVATE.test(text.replaceAll("’", "'"));
}
