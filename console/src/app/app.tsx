import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RecollectError } from "recollect/client";
import { connect } from "../lib/connection.ts";
import { noteSignedIn, useServiceState } from "../lib/service-state.ts";
import { Router } from "../router/router.tsx";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { ConnectionContext } from "./connection-context.ts";
import { movedTo } from "./redirects.ts";
import { routes } from "./routes.tsx";
import { Shell } from "./shell.tsx";
import { SignIn, SignInForm } from "./sign-in.tsx";

/** Signs in, then shows the page that the address names. */
export function App() {
  const queries = useQueryClient();
  const state = useServiceState();
  const connection = useQuery({ queryKey: ["connection"], queryFn: connect, staleTime: Number.POSITIVE_INFINITY });
  const retry = () => void connection.refetch();
  const signedIn = () => {
    // The requests without a key were refused. Left standing, that would ask for a key once more.
    noteSignedIn();
    retry();
  };
  if (connection.isPending) return <Loading what={texts.labels.theService} />;
  if (!connection.data) {
    const { error } = connection;
    if (error instanceof RecollectError && (error.status === 401 || error.status === 403))
      return <SignIn refused={sessionStorage.length > 0} onSignedIn={signedIn} />;
    return (
      <main className="mx-auto mt-[10vh] max-w-md p-4">
        <ErrorBox error={error} onRetry={retry} />
      </main>
    );
  }
  const signedInAgain = async () => {
    noteSignedIn();
    await queries.invalidateQueries();
  };
  return (
    <ConnectionContext.Provider value={connection.data}>
      <Router routes={routes} redirect={movedTo}>
        <Shell />
      </Router>
      {state === "refused" && (
        <Dialog title={texts.signIn.again} onClose={() => void signedInAgain()}>
          <p className="mb-3 text-sm text-fg-2">{texts.signIn.revoked}</p>
          <SignInForm onSignedIn={() => void signedInAgain()} />
        </Dialog>
      )}
    </ConnectionContext.Provider>
  );
}
