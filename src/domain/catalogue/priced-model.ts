import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';

/** A model that somebody sells, as the open price data know it. */
export type PricedModel = {
  provider: { id: string; name: string };
  id: string;
  name: string;
  contextLength: number | null;
  /** Prices in dollars, or a list of prices that hold under conditions. */
  prices: ModelPrice | ConditionalPrice[];
};

/**
 * All models of the open price data. They are a megabyte of program, so they are loaded when first asked for; one load
 * serves everybody.
 */
export async function loadPricedModels(): Promise<PricedModel[]> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  const providers = (await waitForUpdate()) ?? []; // without an update under way: the data of the package
  return providers.flatMap(({ id, name, models }) =>
    models.map((model) => ({
      provider: { id, name },
      id: model.id,
      name: model.name ?? model.id,
      contextLength: model.context_window ?? null,
      prices: model.prices,
    })),
  );
}
