/** What was opened, in this order. It is closed in the reverse order. */
export class Opened {
  readonly #parts: { close(): unknown }[] = [];

  /** Adds a part to close later, and returns it. */
  add<Part extends { close(): unknown }>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  async close(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) await part.close();
  }
}
