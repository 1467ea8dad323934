/** The bytes of a segment of a path, less than the 255 that the service allows, for the suffix. */
const MAX_SEGMENT_BYTES = 240;
/** The suffix of a file. No label of a namespace has a dot in its path, so no folder has this name. */
const SUFFIX = ".md";
/** The end of a segment whose label goes on in the next one. A `%` in a label is encoded. */
const GOES_ON = "%";
/** The characters that a path may not have, or that mean something in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among those.
const UNSAFE = /[\u0000-\u001f\u007f%/\\*?]/g;
const NOT_ASCII = /[^\u0020-\u007e]/gu;
const utf8 = new TextEncoder();

/** Returns the folder of a namespace's items and of the namespaces below it, with its slash. */
export function folderOf(root: string, namespace: readonly string[]): string {
  return root + namespace.map((label) => `${segments(encoded(label).replaceAll(".", "%2E"))}/`).join("");
}

/** Returns the path of the file that holds an item. */
export function pathOf(root: string, namespace: readonly string[], key: string): string {
  return `${folderOf(root, namespace)}${segments(encoded(key).replace(/^\./, "%2E"))}${SUFFIX}`;
}

/** Returns the namespace of an item's file; undefined if no item has this path. */
export function namespaceOf(root: string, path: string): string[] | undefined {
  if (!path.startsWith(root) || !path.endsWith(SUFFIX)) return undefined;
  const labels = path.slice(root.length).replaceAll(`${GOES_ON}/`, "").split("/").slice(0, -1);
  try {
    return labels.length === 0 ? undefined : labels.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * Percent-encodes what a path may not contain. The service stores paths in Unicode's normal form C,
 * so a text in another form is encoded as a whole.
 */
function encoded(label: string): string {
  const text = label.toWellFormed();
  const safe = text.replace(UNSAFE, encode);
  return text === text.normalize("NFC") ? safe : safe.replace(NOT_ASCII, encode);
}

function encode(character: string): string {
  // encodeURIComponent does not encode an asterisk.
  return character === "*" ? "%2A" : encodeURIComponent(character);
}

/** Cuts a long text into segments of a path, between characters and not inside an encoded one. */
function segments(text: string): string {
  // An empty name is no segment of a path.
  if (text === "") return `${GOES_ON}/`;
  let all = "";
  let bytes = 0;
  for (const [unit] of text.matchAll(/%[0-9A-F]{2}|[\s\S]/gu)) {
    const size = utf8.encode(unit).length;
    if (bytes + size > MAX_SEGMENT_BYTES) {
      all += `${GOES_ON}/`;
      bytes = 0;
    }
    all += unit;
    bytes += size;
  }
  return all;
}
