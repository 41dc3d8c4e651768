import type { UsageCount } from './convention.ts';

/** Token counts; null if not reported. */
export type SpanUsage = Record<UsageCount, number | null>;
