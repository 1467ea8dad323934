import { useVirtualizer } from "@tanstack/react-virtual";
import { Pencil, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Fact, Message } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo } from "../../lib/connection.ts";
import { exactMoment, longDay, timeOfDay } from "../../lib/format.ts";
import { navigate } from "../../router/history.ts";
import { Link } from "../../router/link.tsx";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useForget } from "../memories/use-forget.ts";

interface MessagesProps {
  agent: string;
  rows: readonly Message[];
  /** The user of the conversation. Messages of a user without a name show this one. */
  user: string | undefined;
  /** The last message of each indexed passage by its first; empty: passages are not shown. */
  windows: ReadonlyMap<number, number>;
  facts: ReadonlyMap<number, readonly Fact[]>;
  /** The number of the message that the address names. */
  chosen: number | undefined;
  /** Called when the first or the last messages that are loaded are visible. */
  onStart: (() => void) | undefined;
  onEnd: (() => void) | undefined;
}

/** When this many loaded messages are left below or above the view, more messages are requested. */
const NEAR = 8;

/**
 * The messages in order, under their days, each with the facts that were captured from it. Only the
 * visible ones and a few around them are in the page.
 */
export function Messages({ agent, rows, user, windows, facts, chosen, onStart, onEnd }: MessagesProps) {
  const box = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => 84,
    overscan: 6,
    getItemKey: (at) => rows[at]?.number ?? at,
    // Earlier messages that are loaded above do not move those that are read.
    anchorTo: "end",
  });
  const items = list.getVirtualItems();
  const start =
    chosen === undefined
      ? rows.length - 1
      : Math.max(
          0,
          rows.findIndex(({ number }) => number === chosen),
        );
  const [first, last] = [items[0]?.index, items.at(-1)?.index];
  const showsStart = first !== undefined && last !== undefined && first <= start && start <= last;
  const { isScrolling } = list;
  const begun = useRef(false);
  const wasScrolling = useRef(false);
  const [hasOpened, setOpened] = useState(false);
  useEffect(() => {
    if (begun.current || rows.length === 0) return;
    begun.current = true;
    list.scrollToIndex(start, { align: chosen === undefined ? "end" : "start" });
  }, [list, rows.length, start, chosen]);
  useEffect(() => {
    if (!isScrolling && (showsStart || wasScrolling.current)) setOpened(true);
    wasScrolling.current = isScrolling;
  }, [isScrolling, showsStart]);
  useEffect(() => {
    // Rows that are added above change the index to which the list is still scrolling.
    if (!hasOpened) return;
    if (first !== undefined && first < NEAR) onStart?.();
    if (last !== undefined && last > rows.length - 1 - NEAR) onEnd?.();
  }, [hasOpened, first, last, rows.length, onStart, onEnd]);
  return (
    <section
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={texts.labels.messages}
      className="min-h-0 grow overflow-auto px-5 max-md:px-3"
    >
      <ol className="relative" style={{ height: list.getTotalSize() }}>
        {items.map((item) => {
          const message = rows[item.index] as Message;
          const before = rows[item.index - 1];
          return (
            <li
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0 flex flex-col"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Day at={message.at} before={before?.at} />
              <Passage from={message.number} to={windows.get(message.number)} />
              <div className={cn("grid gap-x-4 gap-y-1 py-1", facts.size > 0 && "xl:grid-cols-[minmax(0,1fr)_16rem]")}>
                <Bubble message={message} user={user} chosen={message.number === chosen} />
                <Captured agent={agent} facts={facts.get(message.number) ?? []} />
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Names the day above its first message. */
function Day({ at, before }: { at: string; before: string | undefined }) {
  const day = longDay(at);
  if (before !== undefined && longDay(before) === day) return null;
  return <p className="my-3 self-center rounded-full bg-sunken px-3 py-0.5 text-xs text-fg-2">{day}</p>;
}

/** Marks the message with which an indexed passage begins. */
function Passage({ from, to }: { from: number; to: number | undefined }) {
  if (to === undefined) return null;
  return (
    <p className="mt-2 rounded-t border-x-2 border-t-2 border-accent px-2 text-xs text-accent">
      {texts.sentences.window(from, to)}
    </p>
  );
}

interface BubbleProps {
  message: Message;
  user: string | undefined;
  chosen: boolean;
}

function Bubble({ message: { number, role, name, text, at }, user, chosen }: BubbleProps) {
  const isUser = role === "user";
  return (
    <div
      className={cn("said flex max-w-[46rem] flex-col gap-0.5", isUser ? "items-start" : "items-end justify-self-end")}
    >
      <p className="text-xs text-fg-2">
        {name ?? (isUser ? user : undefined) ?? texts.conversations.roles[role]} ·{" "}
        <time dateTime={at} title={exactMoment(at)}>
          {timeOfDay(at)}
        </time>{" "}
        · <span className="tabular">#{number}</span>
      </p>
      <p
        dir="auto"
        className={cn(
          "text max-w-full rounded-lg px-3 py-2 text-base whitespace-pre-wrap [overflow-wrap:anywhere]",
          isUser ? "rounded-ss-none bg-sunken" : "rounded-se-none border border-border",
          chosen && "outline-2 outline-accent",
        )}
      >
        {text}
      </p>
    </div>
  );
}

/** The facts that were captured from a message. */
function Captured({ agent, facts }: { agent: string; facts: readonly Fact[] }) {
  const { key } = useConnection();
  const forget = useForget(agent);
  if (facts.length === 0) return null;
  const mayWrite = mayDo(key, "agent:write");
  return (
    <ul aria-label={texts.conversations.captured} className="flex flex-col gap-1 self-start max-xl:ms-6 xl:mt-5">
      {facts.map((fact) => (
        <li
          key={fact.id}
          className="group relative flex items-start gap-2 rounded-md border border-border bg-bg px-2 py-1.5 text-sm"
        >
          <Dot of={fact.validTo ? "none" : "fact"} className="mt-1.5" />
          <Link
            to="/agents/$agent/memories"
            params={{ agent }}
            search={{ id: fact.id }}
            dir="auto"
            className={cn("min-w-0 grow [overflow-wrap:anywhere] hover:underline", fact.validTo && "text-fg-2")}
          >
            {fact.text}
          </Link>
          {mayWrite && (
            <span className="flex shrink-0 max-md:opacity-100 md:absolute md:end-1 md:top-1 md:rounded-md md:bg-bg md:opacity-0 md:shadow-sm md:group-focus-within:opacity-100 md:group-hover:opacity-100">
              {!fact.validTo && (
                <Button
                  kind="ghost"
                  size="smallIcon"
                  tip={texts.labels.correct}
                  onClick={() =>
                    navigate({
                      to: "/agents/$agent/memories",
                      params: { agent },
                      search: { id: fact.id, edit: "true" },
                    })
                  }
                >
                  <Pencil className="size-3.5" />
                </Button>
              )}
              <Button kind="ghost" size="smallIcon" tip={texts.labels.forget} onClick={() => forget([fact])}>
                <Trash2 className="size-3.5" />
              </Button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
