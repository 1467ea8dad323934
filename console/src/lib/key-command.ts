/** Returns the line that gives a key to the commands of a shell. */
export function keyCommand(key: string): string {
  return `export RECOLLECT_API_KEY=${key}`;
}
