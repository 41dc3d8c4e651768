/** A call of a chat that a job learns from. */
export type TrainedCall = {
  callId: string;
  /** How much its tokens count: the advantage in reinforcement learning, 1 in supervised training. */
  weight: number;
  /** `validation`: it is held out, and only measures what was learned. */
  split: 'train' | 'validation';
};
