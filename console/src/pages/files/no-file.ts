/** The values of the address that belong to one file, all of them unset. */
export const NO_FILE = {
  path: undefined,
  line: undefined,
  tab: undefined,
  version: undefined,
  show: undefined,
} as const;

/** The values of the address that say which text is edited. */
export const EDITED = "path tab";
