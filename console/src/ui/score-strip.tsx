import { cn } from "../lib/cn.ts";

export interface ScorePart {
  name: string;
  /** The share of the whole, 0 to 1. */
  share: number;
  tone: "file" | "fact" | "chat" | "shared";
}

const TONES = { file: "fill-file", fact: "fill-fact", chat: "fill-chat", shared: "fill-shared" } as const;

/** The parts of a score as one bar. The words beside it say the same. */
export function ScoreStrip({ parts, className }: { parts: readonly ScorePart[]; className?: string }) {
  let at = 0;
  return (
    <svg aria-hidden="true" viewBox="0 0 120 6" preserveAspectRatio="none" className={cn("h-1.5 w-30", className)}>
      <rect width="120" height="6" rx="3" className="fill-border" />
      {parts.map(({ name, share, tone }) => {
        const x = at;
        const width = Math.max(0, Math.min(120 - x, share * 120));
        at += width;
        return <rect key={name} x={x} width={width} height="6" className={TONES[tone]} />;
      })}
    </svg>
  );
}
