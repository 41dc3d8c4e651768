/** A call of a chat that a job learns from. */
export type TrainedCall = {
  callId: string;
  /**
   * How much its tokens count: the advantage in reinforcement learning, 1 in supervised training. Of pairs, −1 for the answer that is not
   * preferred. Of prompts that the model answers again, 0.
   */
  weight: number;
  /** `validation`: it is held out, and only measures what was learned. */
  split: 'train' | 'validation';
};
