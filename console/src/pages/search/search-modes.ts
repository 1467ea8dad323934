/** A way to use the words in the box of the page. */
export type Mode = "search" | "recall" | "missing" | "compare";
