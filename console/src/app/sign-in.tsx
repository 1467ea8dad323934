import { useState } from "react";
import { signIn } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/input.tsx";
import { Logo } from "./logo.tsx";

/** The page of a service that wants a key. */
export function SignIn({ refused, onSignedIn }: { refused: boolean; onSignedIn: () => void }) {
  return (
    <main className="mx-auto mt-[12vh] flex max-w-md flex-col gap-4 rounded-xl border border-border bg-surface p-6 max-md:mt-4 max-md:border-0">
      <Logo />
      <h1 className="text-xl font-semibold">{texts.signIn.title}</h1>
      <p className="text-sm text-fg-2">{texts.signIn.hint}</p>
      {refused && (
        <p role="alert" className="text-sm text-bad">
          {texts.signIn.refused}
        </p>
      )}
      <SignInForm onSignedIn={onSignedIn} />
      <p className="text-xs text-fg-2">{texts.signIn.make}</p>
    </main>
  );
}

export function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [key, setKey] = useState("");
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        signIn(key);
        onSignedIn();
      }}
    >
      <label className="flex flex-col gap-1 text-sm text-fg-2">
        {texts.labels.apiKey}
        <Input
          type="password"
          autoComplete="off"
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <Button type="submit" kind="primary">
        {texts.labels.signIn}
      </Button>
    </form>
  );
}
