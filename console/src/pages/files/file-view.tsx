import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { type File, RecollectError } from "recollect/client";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { useLeave } from "../../app/use-unsaved.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo } from "../../lib/connection.ts";
import { bytes, counted, moment } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useShortcuts } from "../../ui/use-shortcuts.ts";
import { FileChunks } from "./file-chunks.tsx";
import { FileEditor } from "./file-editor.tsx";
import { FileMenu } from "./file-menu.tsx";
import { FileSource } from "./file-source.tsx";
import { FileVersions } from "./file-versions.tsx";

const TABS = ["read", "source", "chunks", "history"] as const;
type Tab = (typeof TABS)[number];

interface FileViewProps {
  agent: string;
  path: string;
  /** The line to show; 0: the beginning. */
  line: number;
}

/** Shows one file: rendered, as source, as chunks, with its earlier versions, or in an editor. */
export function FileView({ agent, path, line }: FileViewProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { search, change } = useViewAddress();
  const leave = useLeave();
  const usual: Tab = search.version ? "history" : line > 0 ? "source" : "read";
  const tab = TABS.find((one) => one === search.tab) ?? usual;
  const file = useQuery({ queryKey: ["file", agent, path], queryFn: () => memory.files.get(path) });
  const writes = mayDo(key, "agent:write");
  const isEdited = search.tab === "edit" && writes && file.data !== undefined;
  const edit = () => change({ tab: "edit", version: undefined, show: undefined });
  useShortcuts({ e: writes && file.data && !isEdited ? edit : undefined });
  if (file.isPending) return <Loading what={path} lines={8} />;
  // An edit stays open even if the file is deleted meanwhile. Saving the edit then reports this.
  if (!isEdited && file.error instanceof RecollectError && file.error.status === 404)
    return <GoneFile agent={agent} path={path} />;
  if (file.error && !isEdited)
    return (
      <div className="p-5">
        <ErrorBox error={file.error} onRetry={() => void file.refetch()} />
      </div>
    );
  if (!file.data) return null;
  const open = (next: Tab) => leave(() => change({ tab: next, version: undefined, show: undefined }));
  return (
    // An editor fills the pane. A text takes its full height, and the pane around it scrolls.
    <article className={cn("flex flex-col", isEdited && "h-full min-h-0")}>
      <Head file={file.data} agent={agent} onEdit={writes && !isEdited ? edit : undefined} />
      {isEdited ? (
        <FileEditor agent={agent} file={file.data} onClose={() => change({ tab: undefined }, true)} />
      ) : (
        <Parts agent={agent} file={file.data} tab={tab} line={line} onOpen={open} />
      )}
    </article>
  );
}

interface PartsProps {
  agent: string;
  file: File;
  tab: Tab;
  line: number;
  onOpen: (tab: Tab) => void;
}

function Parts({ agent, file: { path, content }, tab, line, onOpen }: PartsProps) {
  return (
    <Tabs
      label={texts.labels.view}
      value={tab}
      of={TABS.map((one) => [one, texts.files.tabs[one]] as const)}
      onChoose={onOpen}
      className="px-5 max-md:px-4"
    >
      <div className="p-5 max-md:p-4">
        {tab === "read" && <Markdown text={content} />}
        {tab === "source" && <FileSource content={content} line={line} />}
        {tab === "chunks" && <FileChunks agent={agent} path={path} content={content} />}
        {tab === "history" && <FileVersions agent={agent} path={path} />}
      </div>
    </Tabs>
  );
}

interface HeadProps {
  file: File;
  agent: string;
  onEdit: (() => void) | undefined;
}

function Head({ file, agent, onEdit }: HeadProps) {
  const { path, size, lines, mtime, origin } = file;
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-4 pb-2 max-md:px-4">
      <div className="min-w-0 grow basis-60">
        <h2 dir="auto" className="text-lg font-semibold [overflow-wrap:anywhere]">
          {path}
        </h2>
        <p className="text-sm text-fg-2">
          {sentences.file(bytes(size), counted(lines, texts.nouns.line), moment(mtime))}
          {origin && sentences.syncedFrom(origin)}
        </p>
      </div>
      <div className="flex gap-1">
        {onEdit && (
          <Button onClick={onEdit}>
            <Pencil aria-hidden="true" className="size-4" />
            {texts.labels.edit}
            <Kbd>{texts.memories.correctKey}</Kbd>
          </Button>
        )}
        <FileMenu agent={agent} file={file} />
      </div>
    </header>
  );
}

function GoneFile({ agent, path }: { agent: string; path: string }) {
  return (
    <article className="flex flex-col gap-4 p-5 max-md:p-4">
      <div>
        <h2 dir="auto" className="text-lg font-semibold [overflow-wrap:anywhere]">
          {path}
        </h2>
        <p className="text-sm text-fg-2">{texts.versions.gone}</p>
      </div>
      <FileVersions agent={agent} path={path} />
    </article>
  );
}
