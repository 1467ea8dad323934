import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { cn } from "../lib/cn.ts";
import { dismiss, TOAST_MS, type Toast, useToasts } from "../lib/toasts.ts";
import { texts } from "../texts/texts.ts";

/** Says what was just done, and offers to undo it. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <section
      aria-label={texts.ui.notifications}
      className="pointer-events-none fixed inset-x-4 bottom-4 z-30 flex flex-col items-end gap-2 max-md:bottom-18"
    >
      <div role="status" aria-live="polite" className="contents">
        {toasts.map((toast) => (
          <One key={toast.id} toast={toast} />
        ))}
      </div>
    </section>
  );
}

function One({ toast: { id, text, undo, failed } }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismiss(id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [id, held]);
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      className={cn(
        "pointer-events-auto flex max-w-md items-center gap-3 rounded-lg py-2 ps-4 pe-2 text-sm shadow-float",
        failed ? "bg-bad text-surface" : "bg-inverse text-inverse-fg",
      )}
    >
      <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
      {undo && (
        <button
          type="button"
          onClick={() => {
            dismiss(id);
            void undo();
          }}
          className="rounded px-2 py-1 font-semibold underline underline-offset-2"
        >
          {texts.actions.undo}
        </button>
      )}
      <button type="button" aria-label={texts.actions.dismiss} onClick={() => dismiss(id)} className="rounded p-1">
        <X aria-hidden="true" className="size-4" />
      </button>
    </div>
  );
}
