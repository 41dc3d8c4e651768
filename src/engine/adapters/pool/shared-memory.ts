import type { LoadedModel } from '../../runtime/types.ts';

/** The memory of a model that its sequences and its adapters share: what adapters take, sequences cannot use. */
export class SharedMemory {
  readonly #model: LoadedModel;
  readonly #forgetPrompts: () => Promise<void>;
  #bytesMax: number;
  #adapterBytes = 0;

  constructor(model: LoadedModel, forgetPrompts: () => Promise<void>) {
    this.#model = model;
    this.#forgetPrompts = forgetPrompts;
    this.#bytesMax = model.cacheBytesMax;
  }

  get bytes(): number {
    return this.#bytesMax;
  }

  /** What all sequences may take together. */
  get cacheBytesMax(): number {
    return this.#bytesMax - this.#adapterBytes;
  }

  /** What all adapters may take together: one sequence of full length fits beside them. */
  get adapterBytesMax(): number {
    return this.#bytesMax - this.#model.cacheBytesMin;
  }

  /** Takes memory for an adapter. @returns false if there is not enough at the moment; then nothing changed */
  async reserve(bytes: number): Promise<boolean> {
    if (this.#adapterBytes + bytes > this.adapterBytesMax) return false;
    const wanted = this.#bytesMax - this.#adapterBytes - bytes;
    if (!(await this.#shrinkCache(wanted))) {
      await this.#model.limitCache(this.#bytesMax - this.#adapterBytes);
      return false;
    }
    this.#adapterBytes += bytes;
    return true;
  }

  async free(bytes: number): Promise<void> {
    this.#adapterBytes -= bytes;
    await this.#model.limitCache(this.#bytesMax - this.#adapterBytes);
  }

  /** Changes how much sequences and adapters may take together. @returns the new limit: at least what they take now */
  async limit(bytesMax: number): Promise<number> {
    const cacheBytes = await this.#model.limitCache(Math.max(0, bytesMax - this.#adapterBytes));
    this.#bytesMax = cacheBytes + this.#adapterBytes;
    return this.#bytesMax;
  }

  async #shrinkCache(bytes: number): Promise<boolean> {
    if ((await this.#model.limitCache(bytes)) <= bytes) return true;
    await this.#forgetPrompts();
    return (await this.#model.limitCache(bytes)) <= bytes;
  }
}
