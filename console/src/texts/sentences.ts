import { texts } from "./texts.ts";

/** The texts that contain values. The caller formats the values. */
export const sentences = texts.sentences;
