/** The sign of the console. The name stands beside it, or is the name of the link around it. */
export function Logo() {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M9 24V8h7.5a5 5 0 0 1 1.6 9.7L23 24h-4.2l-4.2-6H12.6v6zm3.6-9h3.6a2 2 0 0 0 0-4h-3.6z"
        className="fill-accent-fg"
      />
    </svg>
  );
}
