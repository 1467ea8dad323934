import { AppError } from "../../base/errors.ts";
import { valueAt } from "../../base/objects.ts";
import { holds } from "../../settings/access.ts";
import { checkExtraPaths } from "../../settings/extra-paths.ts";
import { operatorKeysIn, resolveSettings } from "../../settings/settings.ts";
import type { SettingsPatch } from "../../settings/settings-schema.ts";
import { checkAllowedModels } from "../core/allowed-models.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/**
 * Providers on the server's own network, and the provider that reads a model file of the server.
 */
const REACHES_OUT: ReadonlySet<string> = new Set(["ollama", "openai-compatible", "local"]);

/**
 * Refuses changes, except by the operator, to settings that make the server reach a URL or a file
 * of its own. A tenant that could set them would see the operator's network and disk. A tenant that
 * could remove them would send its texts elsewhere than the operator wants. No caller may store a
 * provider's key here, because the control schema is not a vault: the key comes from the
 * environment or the operator's file. Extra paths must be inside the folders that the operator's
 * configuration allows, even when the operator sets them.
 *
 * @throws AppError `forbidden`, `invalid_settings`
 */
export function checkOperatorKeys(deps: Deps, caller: Caller, before: SettingsPatch, after: SettingsPatch): void {
  const { remote } = after;
  if ([remote, remote?.former].some((one) => one?.apiKey !== undefined || one?.headers !== undefined)) {
    throw new AppError(
      "invalid_settings",
      "settings.remote.apiKey and settings.remote.headers hold secrets and are not stored with a tenant or an agent, nor are those of settings.remote.former. Set them in the server's environment or its config file.",
    );
  }
  checkAllowedModels(deps, before, after);
  checkShare(deps, before, after);
  if (holds(caller, "admin")) {
    // Paths that were once allowed may stay when another setting changes.
    if (JSON.stringify(before.extraPaths) !== JSON.stringify(after.extraPaths))
      checkExtraPaths(after, deps.defaults.extraPathRoots);
    return;
  }
  for (const key of ["provider", "fallback"] as const)
    if (after[key] !== before[key] && REACHES_OUT.has(after[key] ?? ""))
      throw new AppError("forbidden", `Only a key with the scope 'admin' may set settings.${key} to ${after[key]}.`, {
        details: { scope: "admin" },
      });
  const changed = [...new Set([...operatorKeysIn(before), ...operatorKeysIn(after)])].filter(
    (key) => JSON.stringify(valueAt(before, key)) !== JSON.stringify(valueAt(after, key)),
  );
  if (changed.length === 0) return;
  throw new AppError(
    "forbidden",
    `Only a key with the scope 'admin' may set ${changed.map((key) => `settings.${key}`).join(", ")}, since it makes the server reach a URL or a file.`,
    { details: { scope: "admin" } },
  );
}

/**
 * Refuses a share of requests larger than the whole. All agents that use one provider key share its
 * lane, the limit of concurrent requests.
 */
function checkShare(deps: Deps, before: SettingsPatch, after: SettingsPatch): void {
  const wanted = after.remote?.nonBatchConcurrency;
  if (wanted === undefined || wanted === before.remote?.nonBatchConcurrency) return;
  const { nonBatchConcurrency: most } = resolveSettings(deps.defaults.layers).settings.remote;
  if (wanted <= most) return;
  throw new AppError(
    "invalid_settings",
    `The settings are not valid. settings.remote.nonBatchConcurrency: must be at most ${most}, the concurrent requests of one process to the provider, which all agents share; the operator's config file can allow more.`,
  );
}
