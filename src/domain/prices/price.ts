import type { Micros } from '../calls/call-row.ts';
import type { PricedPart } from '../usage/call-usage.ts';

export type PartPrices = { [Part in PricedPart]?: number | undefined };

/** The prices per token of a model, from a date on. Null if tokens of a kind have no known price. */
export type Price = {
  prompt: number | null;
  completion: number | null;
  cacheRead: number;
  cacheCreation: number;
  /** The prices of parts of these tokens, where they differ. */
  ofParts?: PartPrices;
  /** What a request costs in addition to its tokens. */
  request?: number;
  /** Whether a part of the tokens may have a higher price. */
  isAtLeast?: boolean;
  promptUnit: string;
  completionUnit: string;
  /** Whether a project set it or it is a default. */
  level: 'project' | 'default';
  providerId: string;
  effectiveDate: Micros;
  createdBy: string;
  createdAt: Micros;
};
