import type { UsagePart } from './call-usage.ts';

/** Terms of a request that change its price, by their names in the APIs of OpenAI and Anthropic. */
export const requestTerms = ['service_tier', 'inference_geo', 'speed'] as const;
export type RequestTerm = (typeof requestTerms)[number];

/** Where answers of providers say under which terms they were made, the likeliest place first. */
export const termsInAnswers: Record<RequestTerm, string[][]> = {
  service_tier: [
    ['service_tier'],
    ['usage', 'service_tier'],
    ['serviceTier', 'type'],
    ['serviceTier'],
    ['response_metadata', 'service_tier'],
    ['usage_metadata', 'traffic_type'],
    ['usageMetadata', 'trafficType'],
  ],
  inference_geo: [['usage', 'inference_geo']],
  speed: [['usage', 'speed']],
};

/** Spares the parsing of answers, almost all of which were made under the usual terms. */
export function mayHaveTerms(json: string): boolean {
  return unusualTerm.test(json);
}

/** What prices know of the terms of a request: they are those of the usual terms. Null for these. */
export function partOfTerms(
  term: RequestTerm,
  word: string,
): Extract<UsagePart, 'dearer_terms' | 'other_terms'> | null {
  if (usual.test(word)) return null;
  return term === 'inference_geo' || dearer.test(word) ? 'dearer_terms' : 'other_terms';
}

const usualWords =
  'default|standard|standard_only|auto|on_demand|global|not_available|unspecified|traffic_type_unspecified';
const usual = new RegExp(`^(|${usualWords})$`, 'i');
const dearer = /^(priority|on_demand_priority|fast|performance|optimized)$/i;
const unusualTerm = new RegExp(
  `"(service_?tier|inference_geo|speed|traffic_?type)"\\s*:\\s*(\\{|"(?!(${usualWords})?"))`,
  'i',
);
