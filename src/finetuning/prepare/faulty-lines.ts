import { BadRequest } from '../../chat/bad-request.ts';
import { AnswerNotFoundError } from '../tokens/answer-spans.ts';

/** Reads the lines of training data, and collects what is wrong with them, so that an error names all of them. */
export class FaultyLines {
  readonly #what: 'training' | 'validation';
  readonly #faults: string[] = [];
  #lines = 0;
  #faulty = 0;

  constructor({ isValidation = false }: { isValidation?: boolean }) {
    this.#what = isValidation ? 'validation' : 'training';
  }

  /** Empty lines count, and are otherwise ignored. @returns null for a line that is empty or cannot be read */
  read<Item>(line: string, readLine: (line: string) => Item): { item: Item } | null {
    this.#lines++;
    if (line.trim() === '') return null;
    try {
      return { item: readLine(line) };
    } catch (error) {
      if (!(error instanceof BadRequest || error instanceof AnswerNotFoundError)) throw error;
      this.#faulty++;
      if (this.#faults.length < faultsMax) this.#faults.push(`Line ${this.#lines}: ${withoutStop(error.message)}.`);
      return null;
    }
  }

  /** @param items that were read @throws BadRequest if there is none, or that names the lines that could not be read */
  refuse(items: readonly unknown[]): void {
    if (this.#faulty === 0 && items.length > 0) return;
    const param = this.#what === 'training' ? 'training_data_url' : 'validation_file';
    if (this.#faulty === 0) throw new BadRequest(`The ${this.#what} data is empty.`, param);
    const shown = this.#faults.join(' ');
    const more = this.#faulty > this.#faults.length ? ` … and ${this.#faulty - this.#faults.length} more lines.` : '';
    throw new BadRequest(`The ${this.#what} data has lines that cannot be trained on. ${shown}${more}`, param);
  }
}

const faultsMax = 10;

function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}
