import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { noteEdit } from "../lib/unsaved.ts";

/**
 * Runs an action that takes an edit off the screen. Asks the user first if there is an unsaved
 * edit.
 */
export const LeaveContext = createContext<(act: () => void) => void>((act) => act());

/**
 * Returns a function that leaves an edit while the address stays the same, for example to show
 * another view of the same file.
 */
export function useLeave(): (act: () => void) => void {
  return useContext(LeaveContext);
}

/**
 * Makes the console ask the user before an unsaved edit is lost.
 *
 * @param isDirty whether the user has typed something that is not saved
 * @param names the names of the values in the address that identify the edited text, separated by
 * spaces
 */
export function useUnsaved(isDirty: boolean, names = ""): void {
  useEffect(() => (isDirty ? noteEdit(names.split(" ").filter(Boolean)) : undefined), [isDirty, names]);
}

/**
 * Makes the console ask before an unsaved edit is lost, as `useUnsaved` does, for a form whose
 * fields hold their own values. Pass `fields` to the form as props, and call `done` once the form
 * was sent.
 *
 * @param names as for `useUnsaved`
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
