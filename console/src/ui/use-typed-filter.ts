import { useEffect, useRef, useState } from "react";

const WAIT_MS = 150;

/**
 * Returns the text of a field that filters a page, and a function that sets it. The page gets the
 * text after a short pause, so that not every key sends a request.
 *
 * @param value the filter in the address
 */
export function useTypedFilter(
  value: string | undefined,
  onSettled: (text: string | undefined) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value ?? "");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value ?? "");
  const settle = useRef(onSettled);
  settle.current = onSettled;
  useEffect(() => {
    // The address has changed by something else than this field.
    if ((value ?? "") !== sent.current) {
      sent.current = value ?? "";
      setTyped(value ?? "");
    }
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = text.trim();
      settle.current(text.trim() || undefined);
    }, WAIT_MS);
  };
  return [typed, type];
}
