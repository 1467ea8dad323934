/** Where a hit stands: `path#L4` or `path#L4-L9`. */
export function citation(path: string, startLine: number, endLine: number): string {
  return startLine === endLine ? `${path}#L${startLine}` : `${path}#L${startLine}-L${endLine}`;
}
