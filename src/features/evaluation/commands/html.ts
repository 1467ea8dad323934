import { printableLine } from "../../../cli/shell/printable.ts";

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * Escapes text for an element or a quoted attribute of HTML or SVG. Corpora and questions are
 * written by others, so their content is shown, never run.
 */
export function escapeHtml(text: string): string {
  return printableLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/**
 * Returns foreign text as an element of its own, so that its direction marks cannot turn the text
 * around it.
 */
export function foreign(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

/** Returns a table with a caption. The cells are HTML already. */
export function htmlTable(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? `<th scope="row">${cell}</th>` : `<td>${cell}</td>`)).join("");
  const columns = head.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join("");
  return `<div class="wide"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${columns}</tr></thead><tbody>${rows
    .map((row) => `<tr>${cells(row)}</tr>`)
    .join("\n")}</tbody></table></div>`;
}
