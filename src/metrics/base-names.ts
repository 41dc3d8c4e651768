import type { Model } from '../domain/model.ts';
import type { Models } from '../store/models/models.ts';

/** The names of base models by their ids. A name that is not known yet is looked up, and its id used until then. */
export class BaseNames {
  readonly #models: Pick<Models, 'list'>;
  #names: ReadonlyMap<string, string>;

  constructor(models: Pick<Models, 'list'>, known: readonly Model[]) {
    this.#models = models;
    this.#names = namesOf(known);
  }

  of(id: string): string {
    const name = this.#names.get(id);
    if (name === undefined) this.#learn().catch(() => {}); // the next request tries again
    return name ?? id;
  }

  async label<Value>(byId: ReadonlyMap<string, Value>): Promise<Map<string, Value>> {
    if ([...byId.keys()].some((id) => !this.#names.has(id))) await this.#learn();
    return new Map([...byId].map(([id, value]) => [this.of(id), value]));
  }

  async #learn(): Promise<void> {
    this.#names = namesOf(await this.#models.list());
  }
}

function namesOf(models: readonly Model[]): Map<string, string> {
  return new Map(models.map(({ id, name }) => [id, name]));
}
