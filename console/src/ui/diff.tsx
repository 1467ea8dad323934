/** The maximum number of lines to show. No reader gets through more. */
const MOST_LINES = 20_000;

/**
 * Shows a unified diff: removed lines, added lines and the lines around them. Leaves out the two
 * header lines, which name the texts.
 */
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
