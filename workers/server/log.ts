/** Where the parts of the server say what they do: one sentence, no line end. */
export type Log = (sentence: string) => void;
