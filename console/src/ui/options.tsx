/**
 * Shows the choices of a `<select>`.
 *
 * @param of the label of each value; in an array, each value is its own label
 */
export function Options({ of }: { of: Readonly<Record<string, string>> | readonly string[] }) {
  const pairs = Array.isArray(of) ? of.map((value: string) => [value, value]) : Object.entries(of);
  return pairs.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
