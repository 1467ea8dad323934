import { useMutation } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { Popover } from "../../ui/popover.tsx";

/** Finds words in one conversation, and shows the messages around the best hit. */
export function FindInConversation({ agent, path }: { agent: string; path: string }) {
  return (
    <Popover
      label={texts.conversations.find}
      className="w-80 p-3"
      trigger={(props) => (
        <Button {...props} kind="ghost" size="icon" tip={texts.conversations.find}>
          <Search className="size-4" />
        </Button>
      )}
    >
      {(close) => <FindForm agent={agent} path={path} close={close} />}
    </Popover>
  );
}

function FindForm({ agent, path, close }: { agent: string; path: string; close: () => void }) {
  const memory = useAgent(agent);
  const { change } = useViewAddress();
  const [words, setWords] = useState("");
  const find = useMutation({
    mutationFn: (asked: string) =>
      memory.search(asked, { corpus: "sessions", paths: [path], maxResults: 10, minScore: 0 }),
  });
  const hits = (find.data?.results ?? []).filter((hit) => hit.session !== undefined);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate(words);
      }}
    >
      <span className="flex gap-2">
        <Input
          aria-label={texts.conversations.find}
          required
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button type="submit">{texts.places.search}</Button>
      </span>
      {find.isSuccess && hits.length === 0 && <p className="text-sm text-fg-2">{texts.search.nothing}</p>}
      <ul className="flex max-h-72 flex-col overflow-auto">
        {hits.map((hit) => (
          <li key={hit.startLine}>
            <button
              type="button"
              onClick={() => {
                close();
                change({ after: String((hit.session?.messages.from ?? 1) - 1) });
              }}
              className="w-full rounded px-2 py-1.5 text-start text-sm hover:bg-hover"
            >
              <span dir="auto" className="line-clamp-2">
                {hit.snippet}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </form>
  );
}
