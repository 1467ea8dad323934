/** A key of the keyboard. Screens for touch do not show it. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="rounded border border-border bg-surface px-1 text-xs leading-4 text-fg-2 max-md:hidden">
      {children}
    </kbd>
  );
}
