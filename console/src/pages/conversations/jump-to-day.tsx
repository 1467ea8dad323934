import { CalendarDays } from "lucide-react";
import type { AgentClient } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { startOfDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Popover } from "../../ui/popover.tsx";

interface JumpToDayProps {
  agent: string;
  session: string;
  total: number;
}

/** Shows the messages of a day that the user chooses. */
export function JumpToDay({ agent, session, total }: JumpToDayProps) {
  const memory = useAgent(agent);
  const { change } = useViewAddress();
  const jump = async (day: string) => {
    if (day !== "") change({ after: String(await messagesBefore(memory, session, total, startOfDay(day))) });
  };
  return (
    <Popover
      label={texts.conversations.jump}
      className="w-56 p-3"
      trigger={(props) => (
        <Button {...props} kind="ghost" size="icon" tip={texts.conversations.jump}>
          <CalendarDays className="size-4" />
        </Button>
      )}
    >
      {(close) => (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            close();
            void jump(String(new FormData(event.currentTarget).get("day")));
          }}
        >
          <Field label={texts.conversations.jump}>
            <Input type="date" name="day" required />
          </Field>
          <Button type="submit">{texts.labels.show}</Button>
        </form>
      )}
    </Popover>
  );
}

/** Returns how many messages are older than a time, by halving: messages stand in the order of time. */
async function messagesBefore(memory: AgentClient, session: string, total: number, time: string): Promise<number> {
  let [low, high] = [0, total];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { messages } = await memory.sessions.get(session, { after: middle, limit: 1 });
    if ((messages[0]?.at ?? time) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
