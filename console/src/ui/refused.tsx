import { texts } from "../texts/texts.ts";
import { Empty } from "./empty.tsx";

/** A page that the key may not see, and what it would take. */
export function Refused({ title }: { title: string }) {
  return (
    <>
      <h1>{texts.notForThisKey}</h1>
      <Empty title={title} />
    </>
  );
}
