import { useEffect, useRef } from "react";

/** The function of each key, by the key's name, such as `j` or `Backspace`. */
export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>;

/** Elements in which keys have a meaning of their own. */
const TYPING = "input, textarea, select, dialog, [role=menu], [role=listbox], [role=tree], [contenteditable]";

/**
 * Makes keys do something while a component is shown. Keys with a modifier, and keys that are
 * pressed in a field or in a dialog, keep their meaning.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      const target = event.target as Element | null;
      if (target?.closest?.(TYPING) || document.querySelector("dialog[open], [popover=auto]:popover-open")) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
