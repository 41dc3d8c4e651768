import type { Grader } from '../../contract/graders/grader.ts';

/** How a job of reinforcement learning with a grader trains. */
export type RftSettings = {
  /** Prompts of one optimizer step. */
  batchSize: number;
  learningRate: number;
  /** How often each prompt is answered. */
  epochs: number;
  /** Answers to a prompt that are compared with each other. */
  samples: number;
  /** Steps from one validation to the next. */
  evalInterval: number;
  /** Answers to each prompt in a validation. */
  evalSamples: number;
  reasoningEffort: 'low' | 'medium' | 'high' | null;
  grader: Grader;
};
