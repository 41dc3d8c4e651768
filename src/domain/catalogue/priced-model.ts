import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';

/** A commercial model in the open price data. */
export type PricedModel = {
  provider: { id: string; name: string };
  id: string;
  name: string;
  contextLength: number | null;
  /** Prices in dollars, or a list of conditional prices. */
  prices: ModelPrice | ConditionalPrice[];
};

/** All models of the open price data. They are a megabyte of code, so they are loaded on first use and shared. */
export async function loadPricedModels(): Promise<PricedModel[]> {
  const { waitForUpdate } = await import('@pydantic/genai-prices');
  const providers = (await waitForUpdate()) ?? []; // without updating: the package's data
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
