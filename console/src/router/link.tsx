import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { addressOf, formatAddress, type Target } from "./address.ts";
import { navigate } from "./history.ts";

export type LinkProps = Target & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href">;

/** A link to a view of the console. A click with a modifier key opens a tab, as for any link. */
export function Link({ to, params, search, onClick, ...attributes }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate({ to, params, search });
  };
  return <a {...attributes} href={formatAddress(addressOf({ to, params, search }))} onClick={follow} />;
}
