import type { Config } from '../config.ts';
import type { ReadLimits } from '../store/clickhouse/lanes/read-limits.ts';

/** What a server can do at the same time is not known: its own limits count, and statements wait for each other there. */
export const coresOfServer = 8;

export function readLimits(config: Config, cores: number): ReadLimits {
  const quickMax = Math.min(Math.max(2 * cores, 8), 16);
  return {
    budget: {
      timeMs: config.queryTimeMaxMs,
      bytesRead: config.queryReadMaxBytes,
      memoryBytes: config.queryMemoryMaxBytes,
      threads: Math.min(config.queryThreadsMax, cores),
    },
    lanes: {
      quickMax,
      quickPerGroupMax: quickMax / 2,
      heavyMax: Math.max(1, Math.floor(cores / 2)),
      longMax: config.queryLongMax,
      longPerGroupMax: Math.max(1, Math.floor(config.queryLongMax / 2)),
      trialMs: config.queryTrialMs,
      waitingPerGroupMax: config.queryWaitingMax,
      waitMsMax: config.queryWaitMaxMs,
    },
  };
}
