import type { Feature } from "../feature.ts";

/** Facts that users state in conversations, found by rules and, if wanted, by a chat model. */
export const capture: Feature = {
  name: "capture",
  loadService: async () => {
    const [{ captureRoutes }, { captureTurn }, { planCapture }] = await Promise.all([
      import("./routes.ts"),
      import("./capture-turn.ts"),
      import("./capture-appended.ts"),
    ]);
    return { routes: captureRoutes, hooks: { planCapture, captureLater: captureTurn } };
  },
};
