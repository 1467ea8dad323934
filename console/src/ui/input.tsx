import { type LucideIcon, X } from "lucide-react";
import { type InputHTMLAttributes, type ReactNode, type Ref, useRef } from "react";
import { cn } from "../lib/cn.ts";
import { texts } from "../texts/texts.ts";
import { Kbd } from "./kbd.tsx";
import { FIELD } from "./variants.ts";

interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "size"> {
  ref?: Ref<HTMLInputElement> | undefined;
}

/** A field of a form, whose form reads its value. */
export function Input({ className, ...rest }: InputProps & Pick<InputHTMLAttributes<HTMLInputElement>, "onChange">) {
  return <input {...rest} className={cn(FIELD.base, FIELD.sizes.normal, FIELD.look, "px-2.5", className)} />;
}

interface SearchInputProps extends InputProps {
  icon: LucideIcon;
  value: string;
  onText: (text: string) => void;
  /** The key that leads to this field, if there is one. */
  hint?: string;
  large?: boolean;
}

/** A field with an icon, and a cross that clears it. */
export function SearchInput({ icon: Icon, value, onText, hint, large = false, className, ...rest }: SearchInputProps) {
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    onText("");
    field.current?.focus();
  };
  return (
    <span className={cn("relative flex items-center", className)}>
      <Icon aria-hidden="true" className="pointer-events-none absolute start-2.5 size-4 text-fg-3" />
      <input
        {...rest}
        ref={field}
        type="text"
        value={value}
        onChange={(event) => onText(event.target.value)}
        className={cn(FIELD.base, FIELD.sizes[large ? "large" : "normal"], FIELD.look, "ps-9 pe-8")}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label={texts.actions.clear}
          onClick={clear}
          className="absolute end-1.5 grid size-6 place-items-center rounded text-fg-3 hover:bg-hover hover:text-fg"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
      {value === "" && hint && (
        <span aria-hidden="true" className="pointer-events-none absolute end-2.5">
          <Kbd>{hint}</Kbd>
        </span>
      )}
    </span>
  );
}

/** A field with its name above it, and a hint below it. */
export function Field({
  label,
  hint,
  className,
  children,
}: {
  label: string;
  hint?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is the child.
    <label className={cn("flex min-w-0 flex-col gap-1 text-sm text-fg-2", className)}>
      {label}
      {children}
      {hint && <span className="text-xs text-fg-3">{hint}</span>}
    </label>
  );
}
