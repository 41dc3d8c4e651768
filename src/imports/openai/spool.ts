import { hash } from 'node:crypto';
import { appendFileSync, createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf } from '../../util/lines.ts';

const charactersMax = 4 * 1024 * 1024;

/** JSON lines in temporary files by name, so that memory does not grow with what is imported. */
export class Spool {
  readonly #folder = mkdtempSync(join(tmpdir(), 'heddle-import-'));
  readonly #waiting = new Map<string, string[]>();
  #characters = 0;

  add(name: string, value: unknown): void {
    const line = toJson(value);
    const lines = this.#waiting.get(name);
    if (lines) lines.push(line);
    else this.#waiting.set(name, [line]);
    this.#characters += line.length;
    if (this.#characters > charactersMax) this.#flush();
  }

  has(name: string): boolean {
    this.#flush();
    return existsSync(this.#path(name));
  }

  async *read(name: string): AsyncGenerator<unknown> {
    if (!this.has(name)) return;
    for await (const line of linesOf(createReadStream(this.#path(name)))) yield parseJson(line, { keepsDigits: true });
  }

  delete(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #flush(): void {
    for (const [name, lines] of this.#waiting) appendFileSync(this.#path(name), `${lines.join('\n')}\n`);
    this.#waiting.clear();
    this.#characters = 0;
  }

  /** Names come from the imported files. */
  #path(name: string): string {
    return join(this.#folder, hash('sha256', name));
  }
}
