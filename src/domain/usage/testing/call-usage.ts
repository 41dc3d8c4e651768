import type { CallUsage } from '../call-usage.ts';

/** What a call reports of model `m`, with what a test says. */
export function usageOf(more: Partial<CallUsage>): CallUsage {
  return {
    ...{ model: 'm', provider: '', tracer: null, requests: 0, input: 0, output: 0, total: null },
    ...{ cacheRead: 0, cacheCreation: 0, parts: {} },
    ...more,
  };
}
