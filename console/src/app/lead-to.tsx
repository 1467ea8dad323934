import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Navigates to a page of an agent, once. The router's `Navigate` navigates again for each new
 * object in `params`, and a component makes a new object at each render. The frame renders at every
 * navigation, so one navigation would cause the next without end.
 */
export function LeadTo({ to, agent }: { to: "/agents/$agent" | "/agents/$agent/search"; agent: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to, params: { agent }, replace: true });
  }, [navigate, to, agent]);
  return null;
}
