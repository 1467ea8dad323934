import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RecollectError } from "recollect/client";
import { App } from "./app/app.tsx";
import { runEffectsBeforeEvents } from "./app/effects-before-events.ts";
import { keepRequests } from "./lib/connection.ts";
import { finishAll } from "./lib/delayed.ts";
import { noteOutcome } from "./lib/service-state.ts";
import { applyTheme } from "./lib/theme.ts";
import { language } from "./texts/language.ts";
import "./styles/index.css";

/** Whether another try is useless. */
const isFinal = (error: Error) => error instanceof RecollectError;
const outcomes = { onError: (error: unknown) => noteOutcome(error), onSuccess: () => noteOutcome() };

const queries = new QueryClient({
  queryCache: new QueryCache(outcomes),
  mutationCache: new MutationCache(outcomes),
  defaultOptions: {
    // The client has already retried the errors for which a retry may help.
    queries: { staleTime: 5000, refetchOnWindowFocus: false, retry: (tries, error) => !isFinal(error) && tries < 2 },
  },
});

runEffectsBeforeEvents();
applyTheme();
// Actions that wait for their Undo are done when the user leaves the page.
addEventListener("pagehide", () => {
  keepRequests();
  finishAll();
});
document.documentElement.lang = language;
const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
