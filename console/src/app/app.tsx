import { useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { RecollectError } from "recollect/client";
import { connect } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { ConnectionContext } from "./connection-context.ts";
import { router } from "./router.tsx";
import { SignIn } from "./sign-in.tsx";

/** Signs in, then shows the page that the address names. */
export function App() {
  const connection = useQuery({ queryKey: ["connection"], queryFn: connect, staleTime: Number.POSITIVE_INFINITY });
  if (connection.isPending) return <Loading what={texts.labels.theService} />;
  if (connection.error) {
    const { error } = connection;
    if (error instanceof RecollectError && (error.status === 401 || error.status === 403))
      return <SignIn refused={sessionStorage.length > 0} onSignedIn={() => void connection.refetch()} />;
    return (
      <main className="alone">
        <ErrorBox error={error} onRetry={() => void connection.refetch()} />
      </main>
    );
  }
  return (
    <ConnectionContext.Provider value={connection.data}>
      <RouterProvider router={router} />
    </ConnectionContext.Provider>
  );
}
