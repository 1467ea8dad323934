import { useQuery } from "@tanstack/react-query";
import { FileText, MessageSquare, Plug } from "lucide-react";
import type { ReactNode } from "react";
import type { Fact, Message } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Marked } from "../../ui/marked.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

/** Says where a fact comes from, and quotes the place. */
export function FactQuote({ agent, fact }: { agent: string; fact: Fact }) {
  const { source } = fact;
  const nameOf = useNames();
  if (source.kind === "message") return <FromMessage agent={agent} fact={fact} source={source} />;
  if (source.kind === "file") return <FromFile agent={agent} fact={fact} source={source} />;
  return (
    <Card
      icon={<Plug aria-hidden="true" className="size-4 text-fg-3" />}
      head={
        <>
          {texts.memories.addedBy(nameOf(source.by) ?? source.by)} · <RelativeTime at={fact.createdAt} />
        </>
      }
    >
      {source.note && <p className="text-sm">{source.note}</p>}
    </Card>
  );
}

type SourceOf<Kind> = Extract<Fact["source"], { kind: Kind }>;

/** The message in which somebody said it, with the message before and the one after it. */
function FromMessage({ agent, fact, source }: { agent: string; fact: Fact; source: SourceOf<"message"> }) {
  const memory = useAgent(agent);
  const { session, message } = source;
  const around = useQuery({
    queryKey: ["session", agent, session, "around", message],
    queryFn: () => memory.sessions.get(session, { after: Math.max(0, (message ?? 1) - 2), limit: 3 }),
    enabled: message !== undefined,
    retry: false,
  });
  const search = message === undefined ? { session } : { session, after: String(message - 1) };
  const said = around.data?.messages.find(({ number }) => number === message);
  const name = session.replace(/^agent:[^:]+:/, "");
  return (
    <Card
      icon={<MessageSquare aria-hidden="true" className="size-4 text-chat" />}
      head={
        <>
          {said?.name ? texts.memories.saidBy(said.name, name) : name} ·{" "}
          <RelativeTime at={said?.at ?? fact.validFrom} /> ·{" "}
          <Link
            to="/agents/$agent/conversations"
            params={{ agent }}
            search={search}
            className="underline underline-offset-2 hover:text-fg"
          >
            {texts.memories.openConversation}
          </Link>
        </>
      }
    >
      {around.data?.messages.map((one) => (
        <Quoted key={one.number} message={one} fact={fact} isSource={one.number === message} />
      ))}
    </Card>
  );
}

const MOST_CHARACTERS = 600;

function Quoted({ message: { text, role }, fact, isSource }: { message: Message; fact: Fact; isSource: boolean }) {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return (
    <p dir="auto" className={`text-base whitespace-pre-wrap [overflow-wrap:anywhere] ${isSource ? "" : "text-fg-2"}`}>
      <span className="sr-only">{texts.roles[role]} </span>
      {isSource ? <Marked text={short} query={fact.text} /> : short}
    </p>
  );
}

/** The lines of the file that the fact was extracted from. */
function FromFile({ agent, fact, source }: { agent: string; fact: Fact; source: SourceOf<"file"> }) {
  const memory = useAgent(agent);
  const { path, startLine = 1, endLine = startLine } = source;
  const lines = useQuery({
    queryKey: ["lines", agent, path, startLine, endLine],
    queryFn: () => memory.get(path, { from: startLine, lines: Math.min(12, endLine - startLine + 1) }),
    retry: false,
  });
  return (
    <Card
      icon={<FileText aria-hidden="true" className="size-4 text-file" />}
      head={
        <Link
          to="/agents/$agent/files"
          params={{ agent }}
          search={{ path, line: String(startLine) }}
          className="underline underline-offset-2 hover:text-fg"
        >
          {texts.sentences.lines(path, startLine, endLine)}
        </Link>
      }
    >
      {lines.data?.text && (
        <p dir="auto" className="text-base whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Marked text={lines.data.text} query={fact.text} />
        </p>
      )}
    </Card>
  );
}

function Card({ icon, head, children }: { icon: ReactNode; head: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={texts.memories.origin}
      className="flex flex-col gap-2 rounded-lg border border-border bg-bg p-3"
    >
      <p className="flex items-center gap-2 text-sm text-fg-2">
        {icon}
        <span className="min-w-0 [overflow-wrap:anywhere]">{head}</span>
      </p>
      {children}
    </section>
  );
}
