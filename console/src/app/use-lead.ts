import { useEffect } from "react";
import { navigate } from "../router/history.ts";

/**
 * Leads to a place of an agent, once for each agent. It navigates in an effect that depends on texts
 * only: an effect that depends on an object would navigate again after each render, without end.
 *
 * @param to the place; undefined: stay
 */
export function useLead(to: string | undefined, agent: string): void {
  useEffect(() => {
    if (to !== undefined) navigate({ to, params: { agent }, replace: true });
  }, [to, agent]);
}
