import type { SearchAnswer, SearchDebug, SearchOptions, SearchUnavailable } from "recollect/client";
import { useStatus } from "../../app/use-status.ts";
import { has } from "../../lib/features.ts";
import { score2 } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/input.tsx";
import { Part } from "../../ui/section.tsx";
import { Funnel } from "./funnel.tsx";
import { Rankings } from "./rankings.tsx";
import { ScoreHistogram } from "./score-histogram.tsx";

interface ExplanationProps {
  agent: string;
  query: string;
  options: SearchOptions;
  answer: SearchAnswer | SearchUnavailable;
}

/** Shows how a search came to its hits: what was left out where, the scores, and both rankings. */
export function Explanation({ agent, answer }: ExplanationProps) {
  const status = useStatus(agent);
  const { debug } = answer;
  return (
    <div className="flex flex-col gap-6 p-5 max-md:p-4">
      {debug && (
        <>
          <Part title={texts.search.whatHappened}>
            <Funnel debug={debug} shown={answer.results.length} passages={status.data?.chunks} />
          </Part>
          <Part title={texts.search.scores}>
            <ScoreHistogram hits={answer.results} debug={debug} />
          </Part>
          <Part title={texts.search.howRanked}>
            <Rankings debug={debug} hits={answer.results} />
          </Part>
        </>
      )}
      {has("why-not") && <Missing />}
      {debug && <Figures debug={debug} />}
    </div>
  );
}

/** Takes a sentence or a path that the user misses among the results, and leads to the reason. */
function Missing() {
  const { change } = useViewAddress();
  return (
    <Part title={texts.search.missingTitle}>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          change({ mode: "missing", expected: String(new FormData(event.currentTarget).get("expected")) });
        }}
      >
        <Input name="expected" required aria-label={texts.search.expected} placeholder={texts.search.expected} />
        <Button type="submit">{texts.search.check}</Button>
      </form>
    </Part>
  );
}

/** The figures behind the pictures, for people who tune a search. */
function Figures({ debug }: { debug: SearchDebug }) {
  const { rule, mode, vectorWeight, textWeight, background } = debug.fusion;
  return (
    <details className="text-sm text-fg-2">
      <summary>{texts.search.figures}</summary>
      <p className="mt-2">
        {texts.sentences.weights(mode, rule, score2(vectorWeight), score2(textWeight), debug.minScore)}
        {background?.cosines &&
          texts.search.background(score2(background.cosines.mean), score2(background.cosines.deviation))}
      </p>
      {debug.leftOut.length > 0 && (
        <>
          <h3 className="mt-3 font-semibold text-fg">{texts.labels.leftOut}</h3>
          <ul className="flex flex-col gap-1">
            {debug.leftOut.map((one) => (
              <li key={`${one.path}:${one.startLine} ${one.stage}`} className="[overflow-wrap:anywhere]">
                {texts.search.placeOf(one.path, one.startLine, one.endLine)}:{" "}
                {one.stage === "floor" ? texts.sentences.belowFloor(score2(one.score)) : texts.sentences.sameAs(one.of)}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
