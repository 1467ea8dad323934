import { Ellipsis } from "lucide-react";
import { cn } from "../lib/cn.ts";
import { mayDo } from "../lib/connection.ts";
import { navigate } from "../router/history.ts";
import { Link } from "../router/link.tsx";
import { useView } from "../router/router.tsx";
import { texts } from "../texts/texts.ts";
import { Menu } from "../ui/menu.tsx";
import { useConnection } from "./connection-context.ts";
import { AGENT_PLACES, workspacePlacesOf } from "./places.ts";

/** The places that a phone shows at the bottom; the others are behind the last icon. */
const FIRST = ["", "memories", "conversations", "search"];

const ITEM_CLASS = "flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs";

/** The navigation of a phone. */
export function BottomBar({ agent }: { agent: string }) {
  const { key } = useConnection();
  const { path } = useView();
  const places = AGENT_PLACES.filter(({ scope }) => mayDo(key, scope));
  const shown = places.filter(({ name }) => FIRST.includes(name));
  const others = [...places.filter(({ name }) => !FIRST.includes(name)), ...workspacePlacesOf(key)];
  return (
    <nav aria-label={texts.labels.pages} className="flex border-t border-border bg-surface md:hidden">
      {shown.map(({ to, label, icon: Icon, name }) => {
        const isHere = path === to.replace("$agent", encodeURIComponent(agent));
        return (
          <Link
            key={name}
            to={to}
            params={{ agent }}
            aria-current={isHere ? "page" : undefined}
            className={cn(ITEM_CLASS, isHere ? "font-semibold text-accent" : "text-fg-2")}
          >
            <Icon aria-hidden="true" className="size-5" />
            <span className="max-w-full truncate px-1">
              {name === "conversations" ? texts.places.conversationsShort : label}
            </span>
          </Link>
        );
      })}
      <Menu
        label={texts.places.more}
        trigger={(props) => (
          <button {...props} type="button" className={cn(ITEM_CLASS, "text-fg-2")}>
            <Ellipsis aria-hidden="true" className="size-5" />
            {texts.places.more}
          </button>
        )}
        items={others.map(({ label, icon, to }) => ({
          label,
          icon,
          onChoose: () => navigate({ to, params: { agent } }),
        }))}
      />
    </nav>
  );
}
