/** The beginning of a data URL, such as `image/png;base64,` behind `data:`. */
const URL_HEAD = /([\w.+-]{1,60}\/[\w.+-]{1,80})?(?:;[\w.+-]{1,60}(?:=[\w.+"-]{1,80})?){0,6},/y;
/** Types whose data may be escaped text instead of base64, such as drawings in style sheets. */
const MAY_BE_ESCAPED = /^(?:image|font|audio|video)\//i;
const BASE64 = codesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-=");
const ESCAPED = codesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-=%.~!*();:@&$,?#[]'|{}^");
/** The least length of a data URL that is left out. A shorter one is an icon of a few bytes. */
const LEAST_URL = 200;
/** The least length of encoded data without a URL, as in JSON: no name, path or key is as long. */
const LEAST_RUN = 1000;
/** A line of encoded data that is broken into lines, as in mails and certificates. */
const WRAPPED_LINE = /^\s*[A-Za-z0-9+/_-]{56,}={0,2}\s*$/;
/** The least number of such lines. Fewer are a key or a certificate, which somebody may look for. */
const LEAST_WRAPPED_LINES = 40;
/** The last line of such data. */
const LAST_WRAPPED = /^\s*(?=\S*[\d+/=])[A-Za-z0-9+/_-]{1,}={0,2}\s*$/;

/**
 * Returns the lines of a text without the data that is embedded in it: images in data URLs, and
 * encoded data in JSON or mails. A note such as `[image/png data, 160 kB]` stands in its place. One
 * picture would otherwise make hundreds of chunks that nobody can read, and each would be embedded.
 * The number of lines stays. Takes time linear in the text.
 */
export function withoutData(lines: readonly string[]): readonly string[] {
  const isLong = (line: string) => line.length >= LEAST_URL;
  return withoutWrapped(lines.some(isLong) ? lines.map((line) => (isLong(line) ? withoutDataIn(line) : line)) : lines);
}

function withoutDataIn(line: string): string {
  return withoutRuns(withoutUrls(line));
}

function withoutUrls(line: string): string {
  let text = "";
  let kept = 0;
  for (const { index } of line.matchAll(/data:/gi)) {
    URL_HEAD.lastIndex = index + "data:".length;
    const head = index < kept ? undefined : URL_HEAD.exec(line);
    if (!head) continue;
    const [whole, type] = head;
    const from = head.index + whole.length;
    let end = endOfRun(line, from, /;base64,$/i.test(whole) || !type || !MAY_BE_ESCAPED.test(type) ? BASE64 : ESCAPED);
    // In Markdown and in style sheets a bracket or a quotation mark ends the address.
    while (end > from && ")']".includes(line.charAt(end - 1))) end--;
    if (end - from < LEAST_URL) continue;
    text += line.slice(kept, index) + noteOf(type?.toLowerCase() ?? "embedded", end - index);
    kept = end;
  }
  return text + line.slice(kept);
}

function withoutRuns(line: string): string {
  let text = "";
  let kept = 0;
  for (let from = 0; from < line.length; ) {
    const end = endOfRun(line, from, BASE64);
    if (end - from >= LEAST_RUN && looksEncoded(line.slice(from, from + SAMPLE))) {
      text += line.slice(kept, from) + noteOf("base64", end - from);
      kept = end;
    }
    from = end + 1;
  }
  return text + line.slice(kept);
}

/**
 * Returns the first place at or after `from` whose character is not one of these. A regular
 * expression overflows its stack in a run of some megabytes.
 */
function endOfRun(line: string, from: number, codes: Uint8Array): number {
  let end = from;
  while (end < line.length && codes[line.charCodeAt(end)] === 1) end++;
  return end;
}

function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

/** Replaces runs of lines that consist of encoded data: a note, and then empty lines. */
function withoutWrapped(lines: readonly string[]): readonly string[] {
  let changed: string[] | undefined;
  for (let from = 0; from < lines.length; from++) {
    let to = from;
    while (to < lines.length && WRAPPED_LINE.test(lines[to] ?? "")) to++;
    if (to - from >= LEAST_WRAPPED_LINES) {
      if (LAST_WRAPPED.test(lines[to] ?? "")) to++;
      const run = lines.slice(from, to);
      if (looksEncoded(run.slice(0, LEAST_WRAPPED_LINES).join("").slice(0, SAMPLE))) {
        changed ??= [...lines];
        changed.fill("", from, to);
        changed[from] = noteOf(
          "base64",
          run.reduce((sum, line) => sum + line.length, 0),
        );
      }
    }
    if (to > from) from = to - 1;
  }
  return changed ?? lines;
}

/** The length of the part of a run that decides whether it looks encoded. */
const SAMPLE = 1000;

/**
 * Returns whether the beginning of a run has capitals, small letters and digits in disorder, or is hexadecimal. A
 * row of one character, a DNA sequence or a long path stays text.
 */
function looksEncoded(sample: string): boolean {
  if (/^[0-9a-f]+$/i.test(sample)) return /\d/.test(sample) && /[a-f]/i.test(sample);
  const share = (kind: RegExp) => (sample.match(kind)?.length ?? 0) / sample.length;
  return share(/[A-Z]/g) > 0.15 && share(/[a-z]/g) > 0.15 && share(/\d/g) > 0.04;
}

function noteOf(kind: string, length: number): string {
  const kilobytes = Math.max(1, Math.round(length / 1000));
  return `[${kind} data, ${kilobytes >= 10_000 ? `${Math.round(kilobytes / 1000)} MB` : `${kilobytes} kB`}]`;
}
