import { useQueryClient } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { type DragEvent, useState } from "react";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo, messageOf, serviceUrl } from "../../lib/connection.ts";
import { counted } from "../../lib/format.ts";
import { snippetsFor } from "../../lib/start-snippets.ts";
import { toast } from "../../lib/toasts.ts";
import { uploadFiles } from "../../lib/upload.ts";
import { texts } from "../../texts/texts.ts";
import { Section } from "../../ui/section.tsx";
import { Snippet } from "../../ui/snippet.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** Offers the first steps of an agent that remembers nothing yet. */
export function StartHere({ agent }: { agent: string }) {
  const { key } = useConnection();
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      {mayDo(key, "agent:write") && <DropZone agent={agent} />}
      <Ways agent={agent} />
    </div>
  );
}

const WAYS = ["cli", "typescript", "python", "mcp"] as const;

/** Shows how each kind of program stores and asks, with the address of this server. */
function Ways({ agent }: { agent: string }) {
  const { signedIn } = useConnection();
  const [way, setWay] = useState<(typeof WAYS)[number]>("cli");
  const snippets = snippetsFor({ url: serviceUrl.replace(/\/$/, ""), agent, withKey: signedIn });
  return (
    <Section title={texts.start.connect}>
      <Tabs
        label={texts.start.connect}
        value={way}
        of={WAYS.map((one) => [one, texts.start.ways[one]] as const)}
        onChoose={setWay}
      >
        <div className="flex flex-col gap-3 pt-3">
          <p className="text-sm text-fg-2">{texts.start.hints[way]}</p>
          <Snippet code={snippets[way]} label={texts.start.ways[way]} />
          {signedIn && <p className="text-xs text-fg-2">{texts.start.keyHint}</p>}
        </div>
      </Tabs>
    </Section>
  );
}

/** A place to drop files, which also opens the choice of files. */
function DropZone({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const store = async (files: readonly File[]) => {
    if (files.length === 0) return;
    setBusy(true);
    try {
      const { stored, refused } = await uploadFiles(memory, files);
      if (stored > 0) toast(texts.start.stored(counted(stored, texts.nouns.file)));
      for (const { name, error } of refused) toast(`${name}: ${messageOf(error)}`, { failed: true });
    } finally {
      setBusy(false);
      await queries.invalidateQueries();
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void store([...event.dataTransfer.files]);
  };
  return (
    <Section title={texts.start.files}>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={cn(
          "flex min-h-48 cursor-pointer flex-col items-center justify-center gap-2 rounded-lg border border-dashed p-6 text-center has-focus-visible:outline-2 has-focus-visible:outline-accent",
          over ? "border-accent bg-accent-soft" : "border-border-strong bg-bg hover:bg-hover",
        )}
      >
        <Upload aria-hidden="true" className="size-6 text-fg-3" />
        <span className="font-semibold">{busy ? texts.start.storing : texts.start.drop}</span>
        <span className="text-sm text-fg-2">{texts.start.dropHint}</span>
        <input
          type="file"
          multiple
          disabled={busy}
          onChange={(event) => void store([...(event.target.files ?? [])])}
          className="sr-only"
        />
      </label>
    </Section>
  );
}
