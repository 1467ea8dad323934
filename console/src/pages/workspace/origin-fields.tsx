import type { BindingMatch } from "recollect/client";
import { textOf } from "../../app/form-dialog.tsx";
import { texts } from "../../texts/texts.ts";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";

/** Shows the form fields for the origin of a message: channel, account and peer. */
export function OriginFields() {
  return (
    <>
      <Field label={texts.routing.channel}>
        <Input name="channel" placeholder={texts.routing.channelExample} />
      </Field>
      <Field label={texts.routing.account}>
        <Input name="accountId" />
      </Field>
      <Field label={texts.routing.kindOfPeer}>
        <Select name="kind" of={texts.routing.kinds} />
      </Field>
      <Field label={texts.routing.peer}>
        <Input name="peer" />
      </Field>
    </>
  );
}

/** Returns the values of `OriginFields` that the user has filled in. */
export function originOf(values: FormData): BindingMatch {
  const text = (name: string) => textOf(values, name);
  const peer = text("peer") === "" ? {} : { peer: { kind: text("kind"), id: text("peer") } };
  const given = ["channel", "accountId"].filter((name) => text(name) !== "").map((name) => [name, text(name)]);
  return { ...Object.fromEntries(given), ...peer };
}
