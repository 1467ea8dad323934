import { type ReactNode, useCallback, useEffect, useState } from "react";
import { forgetEdits, hasEdits, wouldLose } from "../lib/unsaved.ts";
import { setGuard } from "../router/history.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { LeaveContext } from "./use-unsaved.ts";

/**
 * Asks the user before an edit is lost by another address, another view of the page, a reload or
 * the closing of the tab. For the last two, the browser itself asks.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ act: () => void }>();
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (hasEdits()) event.preventDefault();
    };
    addEventListener("beforeunload", onUnload);
    const removeGuard = setGuard({ holds: wouldLose, ask: (act) => setAsked({ act }) });
    return () => {
      removeEventListener("beforeunload", onUnload);
      removeGuard();
    };
  }, []);
  const leave = useCallback((act: () => void) => (hasEdits() ? setAsked({ act }) : act()), []);
  const go = () => {
    forgetEdits();
    setAsked(undefined);
    asked?.act();
  };
  return (
    <LeaveContext value={leave}>
      {children}
      {asked && (
        <Dialog title={texts.unsaved.title} onClose={() => setAsked(undefined)}>
          <p className="mb-4">{texts.unsaved.message}</p>
          <div className="flex justify-end gap-2">
            <Button kind="danger" onClick={go}>
              {texts.unsaved.leave}
            </Button>
            <Button kind="primary" onClick={() => setAsked(undefined)} data-autofocus="">
              {texts.unsaved.stay}
            </Button>
          </div>
        </Dialog>
      )}
    </LeaveContext>
  );
}
