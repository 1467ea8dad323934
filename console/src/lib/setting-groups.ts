/** The groups of settings, in the order in which they are shown, with the paths that they hold. */
const GROUPS = {
  model: /^(provider|model|fallback|outputDimensionality|queryInputType|documentInputType|remote|local)(\.|$)/,
  search: /^(enabled|sources|citations|timezone|query)(\.|$)/,
  chunking: /^chunking\./,
  facts: /^facts\.(?!retention\.)/,
  retention: /^(history\.|facts\.retention\.|sync\.sessions\.retentionDays$)/,
  sync: /^(sync|extraPaths)(\.|$)/,
  cache: /^cache\./,
} as const;

export type SettingGroup = keyof typeof GROUPS | "other";

export const SETTING_GROUPS = [...(Object.keys(GROUPS) as (keyof typeof GROUPS)[]), "other"] as const;

/** Returns the group of a setting, by its dotted path. */
export function groupOf(path: string): SettingGroup {
  // The narrow group comes first: a retention is also a setting of facts or of the sync.
  if (GROUPS.retention.test(path)) return "retention";
  return SETTING_GROUPS.find((group) => group !== "other" && GROUPS[group].test(path)) ?? "other";
}

/**
 * Returns a path as words: `query.hybrid.vectorWeight` becomes `Hybrid: vector weight`. The first
 * part is left out, because the group says it.
 */
export function settingName(path: string): string {
  const parts = path.split(".");
  const own = parts.length > 1 ? parts.slice(1) : parts;
  const words = own.map((part) => part.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  const text = words.join(": ").replace(/\burl\b/g, "URL");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
