import { ArrowLeft } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { cn } from "../lib/cn.ts";
import { usePreference } from "../lib/preference.ts";
import { stepAlong } from "../lib/step-of.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { useNarrow } from "./use-narrow.ts";

interface PanesProps {
  /** The name under which this browser remembers the width of the list. */
  name: string;
  list: ReactNode;
  listLabel: string;
  /** The thing that is chosen in the list; undefined: none is. */
  detail: ReactNode | undefined;
  detailLabel: string;
  /** Shown in the place of the detail while nothing is chosen. */
  placeholder: ReactNode;
  /** Goes back from the detail to the list, where only one of both has room. */
  onBack: () => void;
}

const [LEAST, USUAL, MOST, STEP] = [22, 42, 70, 2];

/**
 * A list and, beside it, the thing that is chosen in it. On a phone one of both is shown, with a
 * way back.
 */
export function Panes({ name, list, listLabel, detail, detailLabel, placeholder, onBack }: PanesProps) {
  const narrow = useNarrow();
  const box = useRef<HTMLDivElement>(null);
  const [stored, store] = usePreference(`pane.${name}`);
  const width = clamp(Number(stored ?? USUAL));
  if (narrow)
    return (
      <div className="flex min-h-0 grow flex-col">
        <section aria-label={listLabel} className={cn("flex min-h-0 grow flex-col", detail !== undefined && "hidden")}>
          {list}
        </section>
        {detail !== undefined && (
          <section aria-label={detailLabel} className="flex min-h-0 grow flex-col bg-surface">
            <div className="border-b border-border px-2 py-1">
              <Button kind="ghost" onClick={onBack}>
                <ArrowLeft aria-hidden="true" className="size-4" />
                {texts.actions.back}
              </Button>
            </div>
            <div className="min-h-0 grow overflow-auto">{detail}</div>
          </section>
        )}
      </div>
    );
  return (
    <div ref={box} className="flex min-h-0 grow">
      <section
        aria-label={listLabel}
        style={{ width: `${width}%` }}
        className="flex min-h-0 min-w-80 shrink-0 flex-col"
      >
        {list}
      </section>
      <Divider box={box} width={width} onWidth={(next) => store(String(clamp(next)))} />
      <section aria-label={detailLabel} className="min-h-0 min-w-0 grow overflow-auto bg-surface" data-scroll="">
        {detail ?? placeholder}
      </section>
    </div>
  );
}

interface DividerProps {
  box: { current: HTMLElement | null };
  width: number;
  onWidth: (percent: number) => void;
}

/** The line between both panes. It is moved with the pointer or with the arrow keys. */
function Divider({ box, width, onWidth }: DividerProps) {
  const move = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !box.current) return;
    const { left, width: whole } = box.current.getBoundingClientRect();
    onWidth((100 * (event.clientX - left)) / whole);
  };
  const walk = (event: KeyboardEvent) => {
    const step = stepAlong(event.key);
    if (step === undefined) return;
    event.preventDefault();
    onWidth(width + step * STEP);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is not a line of a text.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={texts.ui.divider}
      aria-valuenow={Math.round(width)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onKeyDown={walk}
      className="relative w-px shrink-0 cursor-col-resize touch-none bg-border before:absolute before:inset-y-0 before:-inset-x-1 before:content-[''] hover:bg-accent focus-visible:bg-accent"
    />
  );
}

function clamp(percent: number): number {
  return Number.isFinite(percent) ? Math.min(MOST, Math.max(LEAST, percent)) : USUAL;
}
