/** What people should know about lines that are trained, each with the number of lines. */
export class LineNotices {
  readonly #counts = new Map<string, number>();

  /** @param notices those of one line */
  add(notices: Iterable<string>): void {
    for (const notice of new Set(notices)) this.#counts.set(notice, (this.#counts.get(notice) ?? 0) + 1);
  }

  list(): string[] {
    const shown = [...this.#counts].slice(0, noticesMax);
    return shown.map(([notice, count]) => `${notice} (${count} ${count === 1 ? 'line' : 'lines'}).`);
  }
}

const noticesMax = 50;
