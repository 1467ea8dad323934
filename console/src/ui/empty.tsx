import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Says in one sentence that nothing is here, and offers the next step. */
export function Empty({ title, icon: Icon, children }: { title: string; icon?: LucideIcon; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      {Icon && <Icon aria-hidden="true" className="size-6 text-fg-3" />}
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-prose text-sm text-fg-2">{children}</div>}
    </div>
  );
}
