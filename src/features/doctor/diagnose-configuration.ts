import { countOf } from "../../base/text/count-of.ts";
import { type Ignored, NOT_ABOUT_MEMORY } from "../../settings/ignored.ts";
import { type Finding, ok, warning } from "./finding.ts";

/**
 * The most settings that are named. A pasted file may have hundreds; the log of a start names all
 * of them.
 */
const MOST = 20;
const REMEDY = "Remove the setting from the file, or use the setting of docs/SETTINGS.md that you mean.";

/**
 * Returns a finding for each setting in the operator's files that has no effect. Settings that are
 * not about memory are only listed, in one finding.
 */
export function diagnoseConfiguration(ignored: readonly (Ignored & { file: string })[]): Finding[] {
  const ours = ignored.filter(({ why }) => why !== NOT_ABOUT_MEMORY);
  const others = ignored.filter(({ why }) => why === NOT_ABOUT_MEMORY);
  const findings = ours
    .slice(0, MOST)
    .map(({ file, at, why }) => warning("configuration", `${file}: ${at} has no effect: ${why}.`, REMEDY));
  if (ours.length > MOST) {
    const more = `${countOf(ours.length - MOST, "more setting")} of the config files without effect.`;
    findings.push(warning("configuration", more, "Every start logs all of them."));
  }
  if (others.length === 0) return findings;
  const names = others.slice(0, MOST).map(({ at }) => at);
  const rest = others.length > MOST ? ` and ${others.length - MOST} more` : "";
  return [...findings, ok("configuration", `Not about memory, and left alone: ${names.join(", ")}${rest}.`)];
}
