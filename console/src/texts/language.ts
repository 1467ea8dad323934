/** The languages of the console, by their tags, each with its own name for itself. */
export const LANGUAGES = { en: "English", de: "Deutsch", zh: "中文" } as const;

export type Language = keyof typeof LANGUAGES;

const CHOICE = "recollect.language";

/** Returns the language that the user has chosen, or else the browser's. */
function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(CHOICE) ?? "", ...navigator.languages];
  for (const tag of wanted) {
    const found = tag.split("-")[0] ?? "";
    if (Object.hasOwn(LANGUAGES, found)) return found as Language;
  }
  return "en";
}

export const language: Language = chosenLanguage();

/** The browser's locale if it is of the language, because it says how dates and numbers are written. */
export const locale: string = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** Chooses a language for this browser. The texts are loaded with the page, so it is loaded anew. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(CHOICE, next);
  location.reload();
}
