import { useRef } from "react";
import type { Fact } from "recollect/client";
import { cn } from "../../lib/cn.ts";
import { DAY_MS } from "../../lib/day-ms.ts";
import { month, shortDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Part } from "../../ui/section.tsx";
import { useWidth } from "../../ui/use-width.ts";

/** Shows the versions of a fact: how long each held, and the newest first. */
export function FactChanges({ fact, versions }: { fact: Fact; versions: readonly Fact[] }) {
  const { change } = useViewAddress();
  const shared = sharedStart(versions.map(({ text }) => text));
  const newestFirst = [...versions].sort((a, b) => b.validFrom.localeCompare(a.validFrom));
  return (
    <Part title={texts.memories.howItChanged}>
      <Spans fact={fact} versions={versions} shared={shared} />
      <ol className="timeline flex flex-col">
        {newestFirst.map((one, at) => (
          <li key={one.id} className="relative flex items-start gap-3 pb-3 ps-5 text-base">
            {at < newestFirst.length - 1 && (
              <span aria-hidden="true" className="absolute inset-y-2 start-[5px] w-px bg-border-strong" />
            )}
            <span
              aria-hidden="true"
              className={cn(
                "absolute start-0 top-1.5 size-[11px] rounded-full border-2",
                one.validTo ? "border-border-strong bg-surface" : "border-fact bg-fact",
              )}
            />
            <button
              type="button"
              dir="auto"
              aria-current={one.id === fact.id || undefined}
              onClick={() => change({ id: one.id, edit: undefined })}
              className={cn(
                "min-w-0 grow text-start [overflow-wrap:anywhere] hover:underline",
                one.validTo && "text-fg-2",
                one.id === fact.id && "font-semibold",
              )}
            >
              {one.text}
            </button>
            <span className="shrink-0 text-sm text-fg-2">
              {one.validTo
                ? texts.memories.span(shortDay(one.validFrom), shortDay(one.validTo))
                : texts.memories.since(shortDay(one.validFrom))}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

const [HEIGHT, LABELS] = [24, 16];

/** The spans in which the versions held, on one axis of time. The list below has the same in words. */
function Spans({ fact, versions, shared }: { fact: Fact; versions: readonly Fact[]; shared: number }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const now = Date.now();
  const first = Math.min(...versions.map(({ validFrom }) => Date.parse(validFrom)));
  const whole = Math.max(DAY_MS, now - first);
  const x = (at: number) => (width * (Math.min(at, now) - first)) / whole;
  return (
    <div ref={box} aria-hidden="true">
      {width > 0 && (
        <svg aria-hidden="true" width={width} height={HEIGHT + LABELS} className="block">
          {versions.map(({ id, text, validFrom, validTo }) => {
            const [from, to] = [x(Date.parse(validFrom)), x(validTo ? Date.parse(validTo) : now)];
            const left = Math.min(from, width - 8);
            const span = Math.max(8, to - from - 2);
            return (
              <g key={id}>
                <rect
                  x={left}
                  width={span}
                  height={HEIGHT}
                  rx="4"
                  className={cn(
                    validTo ? "fill-border" : "fill-fact",
                    id === fact.id && validTo && "fill-border-strong",
                  )}
                />
                {span > 40 && (
                  <foreignObject x={left} width={span} height={HEIGHT}>
                    <p className={cn("truncate px-2 text-xs leading-6", validTo ? "text-fg" : "text-surface")}>
                      {text.slice(shared)}
                    </p>
                  </foreignObject>
                )}
              </g>
            );
          })}
          {[0, 1, 2].map((at) => (
            <text key={at} x={(width * at) / 3} y={HEIGHT + LABELS - 2} className="fill-fg-2 text-[11px]">
              {month(first + (whole * at) / 3)}
            </text>
          ))}
          <text x={width} y={HEIGHT + LABELS - 2} textAnchor="end" className="fill-fg-2 text-[11px]">
            {texts.labels.today}
          </text>
        </svg>
      )}
    </div>
  );
}

/** Returns the length of the words with which all texts begin, which a picture need not repeat. */
function sharedStart(all: readonly string[]): number {
  const [first = "", ...others] = all;
  let length = 0;
  while (length < first.length && others.every((text) => text[length] === first[length])) length++;
  return first.lastIndexOf(" ", length) + 1;
}
