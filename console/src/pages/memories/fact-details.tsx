import type { Fact } from "recollect/client";
import { useNames } from "../../app/use-names.ts";
import { moment, percent } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Facts } from "../../ui/facts.tsx";

/** The properties of a fact that few ask for. */
export function FactDetails({ fact }: { fact: Fact }) {
  const nameOf = useNames();
  const { columns, memories } = texts;
  return (
    <details className="border-t border-border pt-3 text-sm">
      <summary className="text-fg-2">{memories.details}</summary>
      <div className="mt-2">
        <Facts
          of={[
            [columns.category, texts.categories[fact.category]],
            [memories.topic, fact.key && <code className="font-mono">{fact.key}</code>],
            [memories.aboutWhom, fact.subject],
            [memories.forWhom, fact.scope.user],
            [columns.importance, percent(fact.importance)],
            [memories.decay, memories.decays[fact.decayClass]],
            [columns.tags, fact.tags.join(", ")],
            [memories.trueFrom, moment(fact.validFrom)],
            [memories.trueTo, fact.validTo && moment(fact.validTo)],
            [memories.stored, moment(fact.createdAt)],
            [columns.storedBy, nameOf(fact.source.by) ?? fact.source.by],
            [columns.confirmed, moment(fact.confirmedAt)],
            [columns.expires, fact.expiresAt && moment(fact.expiresAt)],
            [columns.id, fact.id],
          ]}
        />
      </div>
    </details>
  );
}
