import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { cn } from "../lib/cn.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

interface SnippetProps {
  code: string;
  label: string;
  /** Whether long lines go on below instead of beyond the edge. */
  wrap?: boolean;
}

/** Code to copy. */
export function Snippet({ code, label, wrap = false }: SnippetProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <div className="relative rounded-md bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group is no landmark; the section around it often has the same name. */}
      <section role="group" aria-label={label} tabIndex={0} className="overflow-x-auto">
        <pre
          className={cn(
            "p-3 pe-11 text-start font-mono text-xs",
            wrap && "whitespace-pre-wrap [overflow-wrap:anywhere]",
          )}
        >
          {code}
        </pre>
      </section>
      <Button
        kind="ghost"
        size="smallIcon"
        tip={copied ? texts.actions.copied : texts.actions.copy}
        onClick={() => void copy()}
        className="absolute end-1.5 top-1.5"
      >
        {copied ? <Check aria-hidden="true" className="size-4" /> : <Copy aria-hidden="true" className="size-4" />}
      </Button>
    </div>
  );
}
