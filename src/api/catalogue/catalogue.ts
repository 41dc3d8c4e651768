import { type HardwareEntry, isNamed, pricedHardware, servedHardware } from '../../domain/catalogue/hardware-entry.ts';
import { loadPricedModels, type PricedModel } from '../../domain/catalogue/priced-model.ts';
import { pricedEntry, type RouterEntry, servedEntry } from '../../domain/catalogue/router-entry.ts';
import type { ServedModel } from '../../domain/catalogue/served-model.ts';
import type { Entry, Upstream } from './upstream.ts';

/** What may be called, here and elsewhere: our own models, those of the upstream, and those of the open price data. */
export type Catalogue = {
  /** `list` is the upstream's path of the same list. */
  models(provider: string, list: string): Promise<Entry[]>;
  hardware(provider: string, model: string, list: string): Promise<Entry[]>;
};

export function openCatalogue(servedModels: () => Promise<ServedModel[]>, upstream: Upstream): Catalogue {
  return {
    async models(provider, list) {
      const [{ models, amongMany }, theirs, served] = await Promise.all([
        pricedBy(provider),
        upstream.entries(list),
        servedModels(),
      ]);
      const now = new Date();
      const priced = models.map((model): RouterEntry => pricedEntry(model, { amongMany, now }));
      return eachOnce([...served.map(servedEntry), ...theirs, ...priced]);
    },
    async hardware(provider, name, list) {
      const [{ models }, theirs, ours] = await Promise.all([
        pricedBy(provider),
        upstream.entries(list),
        servedModels(),
      ]);
      const now = new Date();
      const served = ours.filter((model) => isNamed(model, name));
      const priced = models.filter((model) => isNamed(model, name));
      const hardware = priced
        .map((model): HardwareEntry | null => pricedHardware(model, now))
        .filter((entry) => entry !== null);
      return eachOnce([...served.map(servedHardware), ...theirs, ...hardware]);
    },
  };
}

/** A name that is not a provider means all of them. */
async function pricedBy(provider: string): Promise<{ models: PricedModel[]; amongMany: boolean }> {
  const all = await loadPricedModels();
  const models = all.filter((model) => model.provider.id === provider);
  return models.length > 0 ? { models, amongMany: false } : { models: all, amongMany: true };
}

/** Of entries with one id the first stays. */
function eachOnce(entries: Entry[]): Entry[] {
  const known = new Set<unknown>();
  return entries.filter(({ id }) => {
    const isNew = id === undefined || !known.has(id);
    known.add(id);
    return isNew;
  });
}
