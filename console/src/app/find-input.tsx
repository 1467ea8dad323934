import { Search } from "lucide-react";
import { useViewAddress } from "../router/router.tsx";
import { SearchInput } from "../ui/input.tsx";

/** A field whose words narrow the list of a page. They stand in the address as `find`. */
export function FindInput({ label, example = label }: { label: string; example?: string }) {
  const { search, change } = useViewAddress();
  return (
    <SearchInput
      icon={Search}
      aria-label={label}
      placeholder={example}
      data-filter=""
      hint="/"
      value={search.find ?? ""}
      onText={(find) => change({ find }, true)}
      className="w-80 max-md:w-full"
    />
  );
}
