import type { BindingMatch } from "recollect/client";
import { texts } from "../../texts/texts.ts";
import { Options } from "../../ui/options.tsx";

/** Shows the form fields for the origin of a message: channel, account and peer. */
export function OriginFields() {
  return (
    <>
      <label>
        {texts.routing.channel}
        <input name="channel" placeholder={texts.routing.channelExample} />
      </label>
      <label>
        {texts.routing.account}
        <input name="accountId" />
      </label>
      <label>
        {texts.routing.kindOfPeer}
        <select name="kind">
          <Options of={texts.routing.kinds} />
        </select>
      </label>
      <label>
        {texts.routing.peer}
        <input name="peer" />
      </label>
    </>
  );
}

/** Returns the values of `OriginFields` that the user has filled in. */
export function originOf(values: FormData): BindingMatch {
  const text = (name: string) => String(values.get(name) ?? "").trim();
  const peer = text("peer") === "" ? {} : { peer: { kind: text("kind"), id: text("peer") } };
  const given = ["channel", "accountId"].filter((name) => text(name) !== "").map((name) => [name, text(name)]);
  return { ...Object.fromEntries(given), ...peer };
}
