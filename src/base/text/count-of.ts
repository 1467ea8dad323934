/** Returns a count with its noun: `1 job`, `1,240 jobs`, `2 queries`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
