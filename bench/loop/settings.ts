/** What is simulated. These numbers are fixed before any figure of `bench/results/loop.md` is measured. */
export const settings = {
  loops: 200,
  turns: 8,
  /** Simulated time between two turns. */
  turnDays: 7,
  topics: 8,
  /** The chance of a good answer of the first model, for each topic. */
  startQuality: { low: 0.35, high: 0.65 },
  /** Chats between two turns, each in a thread of its own. */
  chatsPerTurn: 1200,
  /** Each turn, the logarithm of the weight of a topic moves by so much (standard deviation). */
  topicDrift: 0.15,
  /** Each turn, answers to one topic become so much worse for all models, because what users want has changed. */
  wantsDrift: 0.02,
  /** How often users rate an answer. Good answers get more ratings. */
  rated: { good: 0.6, bad: 0.5 },
  /** The chance of a thumbs up within the first hour. A flattering answer hides that it is bad. */
  up: { good: 0.92, bad: 0.2, flattering: 0.8 },
  /** Later, users who have rated a bad answer up find out: the chance, and the time until then. */
  corrected: { chance: 0.6, afterDays: 2.5 },
  /** A flattering answer is good so much less often. */
  costOfFlattery: 0.2,
  startFlattery: 0.05,
  /** A held-out scorer is wrong so often. */
  judgeFlips: 0.05,
  /** Chats with the last tests pasted in: the chance for each turn, how many, and the chance of a change of words. */
  leak: { chance: 0.5, rows: { low: 60, high: 240 }, near: 0.5 },
  training: {
    rowsMost: 1500,
    rowsLeast: 50,
    /** Rows of a topic that make its answers half like those of the rows. */
    rowsHalf: 30,
    /** How far answers to other questions of the topic go towards those of very many rows. */
    learned: 0.3,
    /** Of the quality of each topic. */
    noise: 0.04,
    /** Some jobs go wrong, such as by their learning rate: the chance, and what that costs. */
    failure: { chance: 0.35, cost: { low: 0.02, high: 0.2 } },
    /** A model that has learned rows by heart is so much worse elsewhere, times the share of these rows. */
    costOfLeak: 0.4,
  },
  suite: { threads: 1500, alpha: 0.05, gain: 0.05, turns: 4 },
  /** Days for which feedback counts. */
  windowDays: 3,
  rollout: { stages: [0.1, 0.5], units: 150, harm: 0.1, alpha: 0.05 },
} as const;

/** The parts that can be switched off. */
export const parts = ['gate', 'wall', 'windows', 'held-out scorer'] as const;
export type Part = (typeof parts)[number];
