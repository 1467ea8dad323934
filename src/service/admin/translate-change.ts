import { sentenceOf } from "../../agents/ignored.ts";
import { translateSearch } from "../../agents/openclaw-settings.ts";

/**
 * Makes a change of settings under the names that they have here. Settings of an OpenClaw configuration that have no effect
 * are left out, and the answer names each in `warnings`, with the reason.
 *
 * @param act makes the change, with whatever it checks
 */
export async function withTranslated<C extends { settings?: unknown }, A extends object>(
  change: C,
  act: (change: C) => Promise<A>,
): Promise<A & { warnings?: string[] }> {
  if (change.settings === undefined) return act(change);
  const { settings, ignored } = translateSearch(change.settings, "settings");
  const answer = await act({ ...change, settings });
  return ignored.length === 0 ? answer : { ...answer, warnings: ignored.map(sentenceOf) };
}
