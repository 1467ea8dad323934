import { Lock } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { Empty } from "./empty.tsx";

/**
 * Says that the key may not see the page.
 *
 * @param scope the scope that the key lacks; undefined: the key is bound to one agent
 */
export function Refused({ scope }: { scope: string | undefined }) {
  return (
    <div className="flex h-full flex-col items-center justify-center">
      <h1 className="text-xl font-semibold">{texts.notForThisKey}</h1>
      <Empty icon={Lock} title={scope === undefined ? texts.operate.bound : `${texts.operate.refused} ${scope}.`} />
    </div>
  );
}
