import type { StoreFigures, WatchedStore } from './opened-store.ts';
import type { StoreProblem } from './store-health.ts';

/** A store as `/health/ready`, the metrics and `heddle doctor` show it. */
export type StoreState = Pick<WatchedStore, 'name' | 'kind' | 'address'> & StoreFigures & { isUp: boolean };

export function storeStates(stores: WatchedStore[], problems: StoreProblem[]): StoreState[] {
  return stores.map(({ name, kind, address, figures }) => ({
    ...{ name, kind, address },
    isUp: !problems.some(({ store }) => store === name),
    ...figures(),
  }));
}
