import { useQuery } from "@tanstack/react-query";
import { Map as MapIcon } from "lucide-react";
import { useAgent } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { PointMap } from "./point-map.tsx";

/** How often a map that is being made is asked for again. */
const EVERY_MS = 3000;

/** Reads the map of a memory, and again while a newer one is being made. */
export function useMap(agent: string, most?: number) {
  const memory = useAgent(agent);
  return useQuery({
    queryKey: ["map", agent, most],
    queryFn: () => memory.map(most === undefined ? {} : { limit: most }),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data?.state === "due" ? EVERY_MS : false),
  });
}

/** Shows the passages of a memory as points. Points near each other stand for passages of similar meaning. */
export function MemoryMap({ agent }: { agent: string }) {
  const map = useMap(agent);
  if (map.isPending)
    return (
      <div className="p-5">
        <Loading what={texts.memories.theMap} />
      </div>
    );
  if (map.error)
    return (
      <div className="p-5">
        <ErrorBox error={map.error} onRetry={() => void map.refetch()} />
      </div>
    );
  const { state, points } = map.data;
  if (points.length === 0)
    return (
      <Empty icon={MapIcon} title={state === "due" ? texts.memories.mapIsMade : texts.memories.noMap}>
        {state === "due" ? texts.memories.mapIsMadeHint : texts.memories.noMapHint}
      </Empty>
    );
  return <PointMap agent={agent} points={points} />;
}
