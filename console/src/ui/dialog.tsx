import { type ReactNode, useEffect, useRef } from "react";
import { texts } from "../texts/texts.ts";

/**
 * Shows the browser's own dialog. It keeps the focus inside, closes on Escape and returns the
 * focus.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element || element.open) return;
    element.showModal();
    // By default, the dialog would focus its close button.
    element.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" aria-label={texts.labels.close} onClick={() => dialog.current?.close()}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
