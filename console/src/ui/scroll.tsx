import type { ReactNode } from "react";

/** Shows content that may be wider than the page in a box that scrolls, also with the keyboard. */
export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
