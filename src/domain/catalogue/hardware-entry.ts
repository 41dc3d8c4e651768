import { currentPrices } from './current-prices.ts';
import type { PricedModel } from './priced-model.ts';
import type { ServedModel } from './served-model.ts';

/** One way to run a model. All known ones are serverless: no machine is rented. */
export type HardwareEntry = {
  id: string;
  name: string;
  type: string;
  pricing: { cents_per_million_input_tokens: number; cents_per_million_output_tokens: number };
  specs: Record<string, unknown>;
};

export function servedHardware(model: ServedModel): HardwareEntry {
  const pricing = { cents_per_million_input_tokens: 0, cents_per_million_output_tokens: 0 };
  return { id: 'heddle', name: model.name, type: 'serverless', pricing, specs: {} };
}

/** Null for a model that is not priced by token. */
export function pricedHardware(model: PricedModel, now: Date): HardwareEntry | null {
  const { inputToken, outputToken } = currentPrices(model, now);
  if (inputToken === null && outputToken === null) return null;
  const pricing = {
    cents_per_million_input_tokens: centsPerMillion(inputToken),
    cents_per_million_output_tokens: centsPerMillion(outputToken),
  };
  return { id: model.provider.id, name: model.provider.name, type: 'serverless', pricing, specs: {} };
}

/** Whether a name refers to a model, without the publisher that precedes it. */
export function isNamed({ id }: { id: string }, name: string): boolean {
  const wanted = name.toLowerCase();
  const whole = id.toLowerCase();
  return whole === wanted || whole.slice(whole.lastIndexOf('/') + 1) === wanted;
}

function centsPerMillion(dollars: number | null): number {
  return Number(((dollars ?? 0) * 1e8).toFixed(6));
}
