import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ForgetInput } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { counted } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { addressOfPerson, type Person } from "./use-people.ts";

/**
 * Forgets all facts for or about a person, and the person's conversations if the user wants that.
 * The user has to type the person's name, and sees in which conversations of others the person speaks.
 */
export function ForgetPerson({ agent, person, onClose }: { agent: string; person: Person; onClose: () => void }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const [sessions, setSessions] = useState(false);
  const { user, about } = addressOfPerson(person.id);
  const whom: ForgetInput = { person: user ?? about ?? "" };
  const counts = useQuery({
    queryKey: ["facts", agent, "forget", person.id],
    queryFn: () => memory.facts.forgetMany({ ...whom, sessions: true, dryRun: true }),
    staleTime: 0,
  });
  const forget = async () => {
    let facts = 0;
    // One call deletes a part of very many facts.
    for (let more = true; more; ) {
      const done = await memory.facts.forgetMany({ ...whom, ...(sessions ? { sessions } : {}) });
      facts += done.facts;
      more = done.more && done.facts + done.sessions > 0;
    }
    await queries.invalidateQueries();
    change({ user: undefined, about: undefined, id: undefined });
    toast(texts.memories.forgottenMany(counted(facts, texts.nouns.fact)));
  };
  const found = counts.data;
  const elsewhere = found?.speaksIn;
  return (
    <Confirm
      title={texts.memories.forgetPerson(person.name)}
      message={texts.memories.forgetPersonHint(counted(found?.facts ?? person.facts, texts.nouns.fact))}
      name={person.name}
      action={texts.labels.forget}
      onConfirm={forget}
      onClose={onClose}
    >
      {found && found.sessions > 0 && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4"
            checked={sessions}
            onChange={(event) => setSessions(event.target.checked)}
          />
          {texts.memories.andConversations(
            counted(found.sessions, texts.nouns.conversation),
            counted(found.messages, texts.nouns.message),
          )}
        </label>
      )}
      {elsewhere && (
        <p className="text-sm">
          {texts.memories.speaksElsewhere(
            counted(elsewhere.sessions, texts.nouns.conversation),
            elsewhere.named.map(({ session }) => session).join(", "),
          )}
        </p>
      )}
    </Confirm>
  );
}
