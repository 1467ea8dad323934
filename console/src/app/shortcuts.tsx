import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import type { Place } from "./places.ts";

/** Lists the keys that do something. */
export function Shortcuts({ places, onClose }: { places: readonly Place[]; onClose: () => void }) {
  const rows = [
    ...Object.entries(texts.shortcuts.keys).map(([keys, does]) => [keys.split(" "), does] as const),
    ...places.map(({ key, label }) => [["g", key], texts.shortcuts.goTo(label)] as const),
  ];
  return (
    <Dialog title={texts.shortcuts.title} onClose={onClose} wide>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm md:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)]">
        {rows.map(([keys, does]) => (
          <div key={keys.join(" ")} className="contents">
            <dt className="flex gap-1">
              {keys.map((one) => (
                <Kbd key={one}>{one}</Kbd>
              ))}
            </dt>
            <dd className="text-fg-2">{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
