export const PACKED: string;
export function isPackedAnew(): boolean;
