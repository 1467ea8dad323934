import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import { forgetEdits, hasEdits, wouldLose } from "../lib/unsaved.ts";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { LeaveContext } from "./use-unsaved.ts";

/**
 * Asks the user before an edit is lost by another address, another view of the page, a reload or
 * the closing of the tab. For the last two, the browser itself asks.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ act: () => void }>();
  const blocked = useBlocker({
    shouldBlockFn: useCallback(({ current, next }) => wouldLose(current, next), []),
    enableBeforeUnload: hasEdits,
    withResolver: true,
  });
  const leave = useCallback((act: () => void) => (hasEdits() ? setAsked({ act }) : act()), []);
  const stay = () => {
    setAsked(undefined);
    blocked.reset?.();
  };
  const go = () => {
    forgetEdits();
    setAsked(undefined);
    asked?.act();
    blocked.proceed?.();
  };
  return (
    <LeaveContext value={leave}>
      {children}
      {(asked || blocked.status === "blocked") && (
        <Dialog title={texts.unsaved.title} onClose={stay}>
          <p>{texts.unsaved.message}</p>
          <div className="row">
            <button type="button" className="primary" onClick={stay}>
              {texts.unsaved.stay}
            </button>
            <button type="button" className="danger" onClick={go}>
              {texts.unsaved.leave}
            </button>
          </div>
        </Dialog>
      )}
    </LeaveContext>
  );
}
