import { useState } from "react";
import { signIn } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";

export function SignIn({ refused, onSignedIn }: { refused: boolean; onSignedIn: () => void }) {
  const [key, setKey] = useState("");
  return (
    <main className="alone">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          signIn(key);
          onSignedIn();
        }}
      >
        <h1>{texts.signIn.title}</h1>
        <p>{texts.signIn.hint}</p>
        {refused && (
          <p role="alert" className="problem">
            {texts.signIn.refused}
          </p>
        )}
        <label>
          {texts.labels.apiKey}
          <input
            type="password"
            autoComplete="off"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <button type="submit" className="primary">
          {texts.labels.signIn}
        </button>
        <p className="quiet">{texts.signIn.make}</p>
      </form>
    </main>
  );
}
