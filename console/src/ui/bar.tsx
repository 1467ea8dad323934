/** Shows a share from 0 to 1 as a bar, with its name and value as text. */
export function Bar({ label, value, text }: { label: string; value: number; text: string }) {
  return (
    <div className="bar">
      <span>{label}</span>
      <meter min={0} max={1} value={Math.min(1, Math.max(0, value))} aria-label={label} />
      <span>{text}</span>
    </div>
  );
}
