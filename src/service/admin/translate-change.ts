import { sentenceOf } from "../../settings/ignored.ts";
import { translateSearch } from "../../settings/openclaw-settings.ts";

/**
 * Runs a change of settings after translating OpenClaw's names to Recollect's. Leaves out OpenClaw
 * settings that have no effect, and lists each in `warnings` with the reason.
 *
 * @param act checks and makes the change
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
