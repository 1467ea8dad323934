import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "../lib/cn.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/**
 * Shows the browser's own dialog. It keeps the focus inside, closes on Escape and returns the
 * focus.
 */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement as HTMLElement | null;
    if (element && !element.open) element.showModal();
    // By default, the dialog would focus its close button.
    element?.querySelector<HTMLElement>("input, textarea, select, [data-autofocus]")?.focus();
    // The dialog is taken out of the page while it is open, so that the browser returns no focus.
    return () => before?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={cn(
        "max-h-[86vh] rounded-xl border border-border bg-surface p-5 text-base shadow-float",
        wide ? "w-[min(52rem,94vw)]" : "w-[min(30rem,94vw)]",
      )}
    >
      <header className="mb-3 flex items-center justify-between gap-4">
        <h2 className="text-lg font-semibold">{title}</h2>
        <Button kind="ghost" size="smallIcon" aria-label={texts.labels.close} onClick={onClose}>
          <X aria-hidden="true" className="size-4" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}
