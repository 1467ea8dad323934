/** The features of the service that the console has views of. */
type Feature = "archives" | "branches" | "capture" | "doctor" | "map" | "routing" | "sharing" | "snapshots" | "why-not";

/** Returns whether the service has a feature. Its page names the features that the operator has switched off. */
export function has(feature: Feature): boolean {
  const off = document.documentElement.dataset.off ?? "";
  return !off.split(" ").includes(feature);
}
