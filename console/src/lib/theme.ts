import { readPreference, writePreference } from "./preference.ts";

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

export function themeOf(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}

/** Shows the page in the chosen theme. Without a choice the stylesheet follows the system. */
export function applyTheme(theme = themeOf(readPreference("theme"))): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  writePreference("theme", theme === "system" ? undefined : theme);
  applyTheme(theme);
}
