/** What runs a language model. All run the same file, on the processor alone. */
export type Engine = {
  name: string;
  /** Makes sure that all is there that it needs to start with this model. */
  prepare(model: string): Promise<void> | void;
  /** Starts a process that is ready to load the model, and has not. */
  start(model: string): Promise<RunningEngine>;
};

export type RunningEngine = {
  /** Memory of its processes, as the system counts it. */
  residentBytes(): number;
  /**
   * Asks all at once for exactly so many tokens each, the likeliest ones. The first question loads the model.
   * @returns of each question, the milliseconds from the start to each new token
   */
  generate(questions: Question[]): Promise<number[][]>;
  stop(): Promise<void>;
};

export type Question = {
  promptTokens: number;
  newTokens: number;
  /** Prompts of another number share no beginning: nothing is known of them from before. */
  prompt: number;
};
