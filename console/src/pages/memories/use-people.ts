import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayRead } from "../../lib/connection.ts";

/** A person whom facts are for or about. */
export interface Person {
  /** `user:` and the user of the scope, or `about:` and the subject. */
  id: string;
  name: string;
  facts: number;
}

const MOST = 200;

/**
 * Reads whom an agent's facts are for or about, and how many facts hold. A user and the subject of
 * most of the user's facts are one person.
 */
export function usePeople(agent: string) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const found = useQuery({
    queryKey: ["facts", agent, "people"],
    queryFn: () => memory.facts.people({ limit: MOST }),
    enabled: mayRead(key, agent),
    staleTime: 30_000,
  });
  const people = useMemo(() => {
    const { users = [], people: subjects = [] } = found.data ?? {};
    const named = new Set(users.map(({ user, subject }) => (subject ?? user).toLowerCase()));
    return [
      ...users.map(({ user, subject, facts }): Person => ({ id: `user:${user}`, name: subject ?? user, facts })),
      ...subjects
        .filter(({ subject }) => !named.has(subject.toLowerCase()))
        .map(({ subject, facts }): Person => ({ id: `about:${subject}`, name: subject, facts })),
    ];
  }, [found.data]);
  const whole = (found.data?.people ?? []).reduce((sum, { facts }) => sum + facts, found.data?.withoutSubject ?? 0);
  return { people, whole: found.data ? whole : undefined, isPending: found.isPending };
}

/** Returns the part of an address that chooses a person; an empty id chooses everybody. */
export function addressOfPerson(id: string): { user: string | undefined; about: string | undefined } {
  const [kind, ...rest] = id.split(":");
  const name = rest.join(":") || undefined;
  return { user: kind === "user" ? name : undefined, about: kind === "about" ? name : undefined };
}

/** Returns the id of the person that an address chooses, or an empty text. */
export function personIn({ user, about }: { readonly [name: string]: string | undefined }): string {
  if (user !== undefined) return `user:${user}`;
  return about === undefined ? "" : `about:${about}`;
}
