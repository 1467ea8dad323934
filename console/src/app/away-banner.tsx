import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { noteOutcome, useServiceState } from "../lib/service-state.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { useConnection } from "./connection-context.ts";

const EVERY_MS = 5000;

/** Says that the service does not answer, and tries again until it does. */
export function AwayBanner() {
  const state = useServiceState();
  const { client } = useConnection();
  const queries = useQueryClient();
  const isAway = state === "away";
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void tryAgain(), EVERY_MS);
    return () => clearInterval(timer);
  });
  if (!isAway) return null;
  const tryAgain = async () => {
    try {
      await client.key();
      noteOutcome();
      await queries.invalidateQueries();
    } catch (error) {
      noteOutcome(error);
    }
  };
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-center gap-x-3 border-b border-border bg-bad-soft px-4 py-1 text-sm"
    >
      {texts.errors.away}
      <Button size="small" onClick={() => void tryAgain()}>
        {texts.actions.retryNow}
      </Button>
    </div>
  );
}
