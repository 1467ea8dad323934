/** Formats a count for a reader: `1,636`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Formats bytes for a reader: `812 B`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}
