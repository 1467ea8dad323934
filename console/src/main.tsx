import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RecollectError } from "recollect/client";
import { App } from "./app/app.tsx";
import "./styles.css";

/** Whether another try is useless. */
const isFinal = (error: Error) => error instanceof RecollectError;

const queries = new QueryClient({
  defaultOptions: {
    // The client has already retried the errors for which a retry may help.
    queries: { staleTime: 5000, refetchOnWindowFocus: false, retry: (tries, error) => !isFinal(error) && tries < 2 },
  },
});

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
