import { texts } from "../texts/texts.ts";
import { Empty } from "./empty.tsx";

/** Says that the key may not see the page. `title` gives the reason, such as a missing scope. */
export function Refused({ title }: { title: string }) {
  return (
    <>
      <h1>{texts.notForThisKey}</h1>
      <Empty title={title} />
    </>
  );
}
