import { cn } from "../lib/cn.ts";
import { Link, type LinkProps } from "../router/link.tsx";
import { BUTTON } from "./variants.ts";

interface LinkButtonProps extends LinkProps {
  kind?: keyof typeof BUTTON.kinds;
  size?: keyof typeof BUTTON.sizes;
}

/** A link to another view that looks like a button. */
export function LinkButton({ kind = "secondary", size = "normal", className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={cn(BUTTON.base, BUTTON.sizes[size], BUTTON.kinds[kind], className)} />;
}
