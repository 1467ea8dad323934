import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { useState } from "react";
import { mayDo } from "../lib/connection.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useConnection } from "./connection-context.ts";
import { AGENT_PAGES, operatePagesOf, useAgents } from "./pages.ts";

/** Lists every page and agent by name, and offers a search from anywhere. */
export function Palette({ agent, onClose }: { agent: string; onClose: () => void }) {
  const { key } = useConnection();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const agents = useAgents();
  const go = (open: () => Promise<void>) => {
    void open();
    onClose();
  };
  return (
    <Dialog title={texts.labels.goTo} onClose={onClose}>
      <Command label={texts.labels.pages}>
        <Command.Input placeholder={texts.palette.prompt} value={typed} onValueChange={setTyped} />
        <Command.List>
          <Command.Empty>{texts.palette.none}</Command.Empty>
          {AGENT_PAGES.filter(({ scope }) => mayDo(key, scope)).map(({ to, label }) => (
            <Command.Item key={to} onSelect={() => go(() => navigate({ to, params: { agent } }))}>
              {label}
            </Command.Item>
          ))}
          {agents.data?.agents.map(({ id }) => (
            <Command.Item
              key={sentences.agent(id)}
              onSelect={() => go(() => navigate({ to: "/agents/$agent", params: { agent: id } }))}
            >
              {sentences.agent(id)}
            </Command.Item>
          ))}
          {operatePagesOf(key).map(({ part, label }) => (
            <Command.Item key={part} onSelect={() => go(() => navigate({ to: "/operate/$part", params: { part } }))}>
              {label}
            </Command.Item>
          ))}
          {typed.trim() !== "" && mayDo(key, "search") && (
            <Command.Item
              value={sentences.searchMemory(typed)}
              onSelect={() =>
                go(() =>
                  navigate({ to: "/agents/$agent/search", params: { agent }, search: { q: typed.trim() } as never }),
                )
              }
            >
              {sentences.searchMemory(typed.trim())}
            </Command.Item>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
