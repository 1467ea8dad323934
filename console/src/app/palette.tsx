import { useQuery } from "@tanstack/react-query";
import { Bot, FileText, type LucideIcon, MessageSquare, Moon, Search, Sparkles, Sun } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import type { SearchHit } from "recollect/client";
import { cn } from "../lib/cn.ts";
import { mayDo } from "../lib/connection.ts";
import { targetOf } from "../lib/hit-target.ts";
import { plainText, withoutSource } from "../lib/plain-text.ts";
import { stepDown } from "../lib/step-of.ts";
import { chooseTheme } from "../lib/theme.ts";
import { navigate } from "../router/history.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useDelayed } from "../ui/use-delayed.ts";
import { useAgent, useConnection } from "./connection-context.ts";
import { agentPlacesOf, workspacePlacesOf } from "./places.ts";
import { useAgents } from "./use-agents.ts";

interface Entry {
  id: string;
  label: string;
  icon: LucideIcon;
  hint?: string | undefined;
  act: () => void;
}

const MOST_MEMORIES = 6;
const WAIT_MS = 150;

/** Finds pages, agents, actions and memories by a few words, from anywhere. */
export function Palette({ agent, onClose }: { agent: string; onClose: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemories(agent, useDelayed(typed.trim(), WAIT_MS));
  const fixed = useFixedEntries(agent, typed);
  const entries = [...fixed, ...found.map((hit) => entryOf(agent, hit))];
  const act = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepDown(event.key);
    if (step !== undefined) setAt((now) => Math.max(0, Math.min(entries.length - 1, now + step)));
    else if (event.key === "Enter") act(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.labels.goTo} onClose={onClose}>
      <input
        role="combobox"
        aria-label={texts.palette.prompt}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries[at] && `${id}-${at}`}
        autoComplete="off"
        placeholder={texts.palette.prompt}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="mb-2 h-10 w-full rounded-md border border-border bg-sunken px-3 text-base"
      />
      <div role="listbox" id={id} aria-label={texts.labels.goTo} tabIndex={-1} className="max-h-[52vh] overflow-auto">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys for all entries.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active entry.
          <div
            key={entry.id}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === at}
            ref={index === at ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onClick={() => act(entry)}
            className={cn(
              "flex cursor-pointer items-center gap-2.5 rounded px-2 py-2 text-sm hover:bg-hover",
              index === at && "bg-hover",
            )}
          >
            <entry.icon aria-hidden="true" className="size-4 shrink-0 text-fg-3" />
            <span className="min-w-0 grow truncate" dir="auto">
              {entry.label}
            </span>
            {entry.hint && <span className="shrink-0 text-xs text-fg-2">{entry.hint}</span>}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="p-2 text-sm text-fg-2">{texts.palette.none}</p>}
    </Dialog>
  );
}

/** Returns the pages, agents and actions whose names have the typed words. */
function useFixedEntries(agent: string, typed: string): Entry[] {
  const { key } = useConnection();
  const agents = useAgents();
  const words = typed.trim().toLowerCase();
  const has = ({ label }: Entry) => label.toLowerCase().includes(words);
  const pages = [...agentPlacesOf(key), ...workspacePlacesOf(key)].map((place) => ({
    id: place.to,
    label: place.label,
    icon: place.icon,
    hint: texts.palette.page,
    act: () => navigate({ to: place.to, params: { agent } }),
  }));
  const others = (agents.data?.agents ?? []).map((one) => ({
    id: `agent/${one.id}`,
    label: sentences.agent(one.id),
    icon: Bot,
    hint: texts.palette.agent,
    act: () => navigate({ to: "/agents/$agent", params: { agent: one.id } }),
  }));
  const actions: Entry[] = [
    ...(mayDo(key, "agent:write") ? [addFact(agent)] : []),
    { id: "dark", label: texts.palette.dark, icon: Moon, hint: texts.palette.action, act: () => chooseTheme("dark") },
    { id: "light", label: texts.palette.light, icon: Sun, hint: texts.palette.action, act: () => chooseTheme("light") },
  ];
  const search: Entry[] =
    words === "" || !mayDo(key, "search")
      ? []
      : [
          {
            id: "search",
            label: sentences.searchMemory(typed.trim()),
            icon: Search,
            act: () => navigate({ to: "/agents/$agent/search", params: { agent }, search: { q: typed.trim() } }),
          },
        ];
  return [...pages.filter(has), ...search, ...actions.filter(has), ...others.filter(has)];
}

function addFact(agent: string): Entry {
  return {
    id: "add",
    label: texts.palette.addFact,
    icon: Sparkles,
    hint: texts.palette.action,
    act: () => navigate({ to: "/agents/$agent/memories", params: { agent }, search: { add: "true" } }),
  };
}

/** Searches the memory while the user types. */
function useMemories(agent: string, words: string): readonly SearchHit[] {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const found = useQuery({
    queryKey: ["find", agent, words],
    queryFn: () => memory.search(words, { maxResults: MOST_MEMORIES }),
    enabled: words.length > 1 && mayDo(key, "search"),
    placeholderData: (before) => before,
  });
  return words.length > 1 ? (found.data?.results ?? []) : [];
}

const ICONS = { facts: Sparkles, sessions: MessageSquare, memory: FileText } as const;

function entryOf(agent: string, hit: SearchHit): Entry {
  return {
    id: `${hit.path} ${hit.startLine}`,
    label: plainText(withoutSource(hit.snippet)).replace(/\s+/g, " ").slice(0, 200),
    icon: ICONS[hit.source],
    hint: texts.search.sources[hit.source],
    act: () => navigate(targetOf(agent, hit)),
  };
}
