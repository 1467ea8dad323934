import { cn } from "../../lib/cn.ts";

const MOST_LINES = 20_000;

/** Shows the text with its line numbers, which citations refer to. */
export function FileSource({ content, line }: { content: string; line: number }) {
  const rows = content.split("\n");
  const show = (element: HTMLLIElement | null) => element?.scrollIntoView({ block: "center" });
  return (
    <ol dir="auto" className="font-mono text-xs leading-5">
      {rows.slice(0, MOST_LINES).map((row, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its number.
          key={at}
          className={cn(
            "relative min-h-5 ps-14 whitespace-pre-wrap [overflow-wrap:anywhere] before:absolute before:start-0 before:w-10 before:text-end before:text-fg-3 before:select-none before:[content:counter(list-item)]",
            at + 1 === line && "rounded bg-mark",
          )}
          {...(at + 1 === line ? { ref: show, "aria-current": "true" as const } : {})}
        >
          {row}
        </li>
      ))}
    </ol>
  );
}
