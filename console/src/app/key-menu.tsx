import { Keyboard, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { signOut } from "../lib/connection.ts";
import { usePreference } from "../lib/preference.ts";
import { chooseTheme, THEMES, themeOf } from "../lib/theme.ts";
import { chooseLanguage, LANGUAGES, type Language, language } from "../texts/language.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Select } from "../ui/select.tsx";
import { useConnection } from "./connection-context.ts";

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** Names the key in use, and holds what this browser remembers: theme and language. */
export function KeyMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { key, signedIn } = useConnection();
  const [theme] = usePreference("theme");
  const name = key.keyName ?? texts.labels.withoutAKey;
  const leave = () => {
    signOut();
    location.reload();
  };
  return (
    <Popover
      label={texts.header.key}
      className="w-72 p-3"
      trigger={(props) => (
        <button
          {...props}
          type="button"
          className="flex h-8 min-w-0 items-center gap-2 rounded-md ps-2 text-sm text-fg-2 hover:bg-hover max-md:h-10 max-md:px-1"
        >
          <span className="truncate max-lg:sr-only">
            <span className="sr-only">{texts.header.keyName} </span>
            {texts.header.keyLine(name, key.scopes.join(", "))}
          </span>
          <span
            aria-hidden="true"
            className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
          >
            {initialsOf(name)}
          </span>
        </button>
      )}
    >
      {(close) => (
        <div className="flex flex-col gap-3 text-sm">
          <div>
            <p className="font-semibold">
              {key.keyName === null ? texts.labels.withoutAKey : sentences.underKey(key.keyName)}
            </p>
            <p className="text-xs text-fg-2">{key.scopes.join(", ")}</p>
          </div>
          <div className="flex flex-col gap-1">
            <span className="text-xs text-fg-2">{texts.header.theme}</span>
            <Segmented
              label={texts.header.theme}
              value={themeOf(theme)}
              onChoose={chooseTheme}
              of={THEMES.map((one) => [one, <ThemeName key={one} of={one} />] as const)}
            />
          </div>
          <label className="flex flex-col gap-1">
            <span className="text-xs text-fg-2">{texts.header.language}</span>
            <Select
              of={LANGUAGES}
              value={language}
              onChange={(event) => chooseLanguage(event.target.value as Language)}
            />
          </label>
          <Button
            kind="ghost"
            className="justify-start"
            onClick={() => {
              close();
              onShortcuts();
            }}
          >
            <Keyboard className="size-4" /> {texts.shortcuts.title}
          </Button>
          {signedIn && (
            <Button kind="ghost" className="justify-start" onClick={leave}>
              <LogOut className="size-4" /> {texts.labels.signOut}
            </Button>
          )}
        </div>
      )}
    </Popover>
  );
}

function ThemeName({ of }: { of: (typeof THEMES)[number] }) {
  const Icon = ICONS[of];
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden="true" className="size-3.5" /> {texts.header.themes[of]}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== "");
  return [words[0], words[1]]
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}
