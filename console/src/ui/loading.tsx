export function Loading({ what }: { what: string }) {
  return (
    <p className="quiet" role="status">
      Loading {what}…
    </p>
  );
}
