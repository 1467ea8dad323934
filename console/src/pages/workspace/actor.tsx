interface ActorProps {
  id: string;
  name: string | undefined;
}

/** Names who did something: the name of the key, with its beginning at the pointer. */
export function Actor({ id, name }: ActorProps) {
  if (name === undefined) return <code className="font-mono text-xs">{id}</code>;
  return (
    <span title={id} dir="auto" className="md:whitespace-nowrap">
      {name}
    </span>
  );
}
