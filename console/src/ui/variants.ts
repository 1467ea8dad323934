/** The classes of components that have variants. */
export const BUTTON = {
  base: "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm whitespace-nowrap transition-colors duration-100 disabled:opacity-55 max-md:min-h-10",
  sizes: {
    small: "h-7 px-2",
    normal: "h-8 px-3",
    icon: "size-8 max-md:min-w-10",
    smallIcon: "size-7",
  },
  kinds: {
    primary: "border-accent bg-accent font-semibold text-accent-fg not-disabled:hover:opacity-90",
    secondary: "border-border bg-surface text-fg not-disabled:hover:border-border-strong not-disabled:hover:bg-hover",
    ghost: "border-transparent bg-transparent text-fg-2 not-disabled:hover:bg-hover not-disabled:hover:text-fg",
    danger: "border-border bg-surface text-bad not-disabled:hover:border-bad not-disabled:hover:bg-bad-soft",
  },
} as const;

export const BADGE = {
  neutral: "bg-sunken text-fg-2",
  fact: "bg-sunken text-fact",
  file: "bg-sunken text-file",
  chat: "bg-sunken text-chat",
  shared: "bg-sunken text-shared",
  ok: "bg-sunken text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent",
} as const;

export const FIELD = {
  base: "w-full min-w-0 rounded-md border text-fg transition-colors max-md:min-h-10",
  sizes: { normal: "h-8 text-sm", large: "h-11 text-lg" },
  look: "border-border bg-surface hover:border-border-strong",
  bare: "border-transparent bg-transparent hover:bg-hover",
} as const;

/** The kinds of memory: the colour of a dot or a series of a chart. */
export const DOT = {
  fact: "bg-fact",
  file: "bg-file",
  chat: "bg-chat",
  shared: "bg-shared",
  ok: "bg-ok",
  warn: "bg-warn",
  bad: "bg-bad",
  none: "bg-border-strong",
} as const;
