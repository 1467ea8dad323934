/** The choices of a `<select>`. @param of what each value is called; an array: the values are their own names */
export function Options({ of }: { of: Readonly<Record<string, string>> | readonly string[] }) {
  const pairs = Array.isArray(of) ? of.map((value: string) => [value, value]) : Object.entries(of);
  return pairs.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
