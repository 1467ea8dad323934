import type { ReactNode } from "react";

/** Says that nothing is here, and what the next step is. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p>{title}</p>
      {children && <div className="quiet">{children}</div>}
    </div>
  );
}
