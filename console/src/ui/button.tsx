import type { ButtonHTMLAttributes, Ref } from "react";
import { cn } from "../lib/cn.ts";
import { BUTTON } from "./variants.ts";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: keyof typeof BUTTON.kinds | undefined;
  size?: keyof typeof BUTTON.sizes | undefined;
  ref?: Ref<HTMLButtonElement> | undefined;
  /** A text that appears at the button, for a button with an icon only. It is its name too. */
  tip?: string | undefined;
}

/** A button. It does not send a form unless its type says so. */
export function Button({ kind = "secondary", size = "normal", tip, className, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      {...(tip === undefined ? {} : { "aria-label": rest["aria-label"] ?? tip, "data-tip": tip })}
      className={cn(BUTTON.base, BUTTON.sizes[size], BUTTON.kinds[kind], className)}
    />
  );
}
