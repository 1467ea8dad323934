/** The values of the address that say which fact is corrected. */
export const EDITED = "id edit";
