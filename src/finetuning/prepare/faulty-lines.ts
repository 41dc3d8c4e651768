import { Failure, invalidInput } from '../../util/failures.ts';
import { visible } from '../../util/visible.ts';
import { AnswerNotFoundError } from '../tokens/answer-spans.ts';

type Data = { isValidation?: boolean };

export const nameOfData = ({ isValidation }: Data) => `The ${isValidation ? 'validation' : 'training'} data`;
export const paramOfData = ({ isValidation }: Data) => (isValidation ? 'validation_file' : 'training_data_url');

/** Reads the lines of training data, and collects what is wrong with them, so that an error names all of them. */
export class FaultyLines {
  readonly #data: Data;
  readonly #faults: string[] = [];
  #lines = 0;
  #faulty = 0;

  constructor(data: Data) {
    this.#data = data;
  }

  /** Empty lines count, and are otherwise ignored. @returns null for a line that is empty or cannot be read */
  read<Item>(line: string, readLine: (line: string) => Item): { item: Item } | null {
    this.#lines++;
    if (line.trim() === '') return null;
    try {
      return { item: readLine(line) };
    } catch (error) {
      if (!(error instanceof Failure || error instanceof AnswerNotFoundError)) throw error;
      this.#faulty++;
      if (this.#faults.length < faultsMax)
        this.#faults.push(`Line ${this.#lines}: ${withoutStop(visible(error.message))}.`);
      return null;
    }
  }

  /** @param items that were read @throws Failure if there is none, or that names the lines that could not be read */
  refuse(items: readonly unknown[]): void {
    if (this.#faulty === 0 && items.length > 0) return;
    const name = nameOfData(this.#data);
    const param = paramOfData(this.#data);
    if (this.#faulty === 0) throw invalidInput(`${name} is empty.`, { param });
    const shown = this.#faults.join(' ');
    const more = this.#faulty > this.#faults.length ? ` … and ${this.#faulty - this.#faults.length} more lines.` : '';
    throw invalidInput(`${name} has lines that cannot be trained on. ${shown}${more}`, { param });
  }
}

const faultsMax = 10;

/** @param reason why all items were left out @throws Failure if nothing is left to train on, or to validate on */
export function refuseIfNothingIsLeft(data: Data, left: readonly unknown[], reason: string): void {
  if (left.length > 0) return;
  const what = data.isValidation ? 'validated' : 'trained';
  throw invalidInput(`${nameOfData(data)} has nothing that can be ${what} on: ${reason}.`, {
    param: paramOfData(data),
  });
}

function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}
