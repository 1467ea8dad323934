/** More lines nobody reads through. */
const MOST_LINES = 20_000;

/** A unified diff, without the names that it begins with: what was taken out, what was put in, and the lines around. */
export function Diff({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n").slice(2, MOST_LINES);
  return (
    <pre className="plain diff" dir="auto">
      {lines.map((line, at) => {
        const Line = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its number.
          <Line key={at} className={line.startsWith("@@") ? "quiet" : undefined}>
            {line}
            {"\n"}
          </Line>
        );
      })}
    </pre>
  );
}
