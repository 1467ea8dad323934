import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Leads to a page of an agent, once. The router's `Navigate` navigates anew for each new object of `params`, which a component makes
 * whenever it is drawn: the frame draws at every navigation, so one led to the next without end.
 */
export function LeadTo({ to, agent }: { to: "/agents/$agent" | "/agents/$agent/search"; agent: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to, params: { agent }, replace: true });
  }, [navigate, to, agent]);
  return null;
}
