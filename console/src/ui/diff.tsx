import { cn } from "../lib/cn.ts";

/** The maximum number of lines to show. No reader gets through more. */
const MOST_LINES = 20_000;

/**
 * Shows a unified diff: removed lines, added lines and the lines around them. Leaves out the two
 * header lines, which name the texts.
 */
export function Diff({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n").slice(2, MOST_LINES);
  return (
    <pre
      className="diff plain rounded-md bg-sunken p-3 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap"
      dir="auto"
    >
      {lines.map((line, at) => {
        const Line = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
        return (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its number.
            key={at}
            className={cn(
              "block no-underline",
              Line === "ins" && "bg-put-in",
              Line === "del" && "bg-taken-out",
              line.startsWith("@@") && "text-fg-2",
            )}
          >
            {line}
            {"\n"}
          </Line>
        );
      })}
    </pre>
  );
}
