/** Returns the layer of a setting, or of the nearest block around it that has one. */
export function layerOf(path: string, origins: Readonly<Record<string, string>>): string {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const origin = origins[at];
    if (origin !== undefined) return origin;
  }
  return "default";
}
