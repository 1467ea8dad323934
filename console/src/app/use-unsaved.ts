import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { noteEdit } from "../lib/unsaved.ts";

/** Does something that takes an edit off the screen, after a question if there is one. */
export const LeaveContext = createContext<(act: () => void) => void>((act) => act());

/** How a page leaves an edit without another address, such as by another view of the same file. */
export function useLeave(): (act: () => void) => void {
  return useContext(LeaveContext);
}

/**
 * Keeps an edit from being lost without a word.
 *
 * @param isDirty whether something was typed and is not saved
 * @param names of the address's values that say what is edited
 */
export function useUnsaved(isDirty: boolean, names = ""): void {
  useEffect(() => (isDirty ? noteEdit(names.split(" ").filter(Boolean)) : undefined), [isDirty, names]);
}

/**
 * The same for a form whose fields hold their values themselves: `fields` goes to the form, `done` is called when it was sent.
 *
 * @param names as above
 */
export function useUnsavedFields(names = "") {
  const [isDirty, setDirty] = useState(false);
  useUnsaved(isDirty, names);
  return useMemo(
    () => ({
      fields: { onInput: () => setDirty(true), onReset: () => setDirty(false) },
      done: () => setDirty(false),
    }),
    [],
  );
}
