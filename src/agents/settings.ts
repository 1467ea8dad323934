/**
 * The settings of an agent's memory that have an effect today, named and defaulted as in the contract
 * (`agents.defaults.memorySearch`).
 */
export interface MemorySettings {
  readonly chunking: { readonly tokens: number; readonly overlap: number };
  readonly query: {
    readonly maxResults: number;
    readonly minScore: number;
    readonly hybrid: {
      readonly enabled: boolean;
      readonly vectorWeight: number;
      readonly textWeight: number;
      readonly candidateMultiplier: number;
      readonly fusion: "weighted" | "rrf";
      readonly rrfK: number;
    };
    /** A Postgres text-search configuration. */
    readonly language: string;
  };
  readonly citations: "auto" | "on" | "off";
}

export const DEFAULT_SETTINGS: MemorySettings = {
  chunking: { tokens: 400, overlap: 80 },
  query: {
    maxResults: 6,
    minScore: 0.35,
    hybrid: { enabled: true, vectorWeight: 0.7, textWeight: 0.3, candidateMultiplier: 4, fusion: "weighted", rrfK: 60 },
    language: "english",
  },
  citations: "auto",
};
