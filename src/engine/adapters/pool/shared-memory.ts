import type { LoadedModel } from '../../runtime/types.ts';

/** The memory that sequences and adapters of a model share. Adapters reduce what sequences can use. */
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

  /** The limit of all sequences together. */
  get cacheBytesMax(): number {
    return this.#bytesMax - this.#adapterBytes;
  }

  /** The limit of all adapters together. It leaves room for one sequence of full length. */
  get adapterBytesMax(): number {
    return this.#bytesMax - this.#model.cacheBytesMin;
  }

  /** Reserves memory for an adapter. @returns false, without any change, if there is not enough */
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

  /** Sets the limit of sequences and adapters together. @returns the new limit: at least what they use now */
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
