/** Joins the names of classes, leaving out those whose condition does not hold. */
export function cn(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
