/** The bytes of a blob are missing or damaged. */
export class DamagedBlobError extends Error {
  readonly key: string;

  constructor(key: string, found: string) {
    super(`The stored file ${key} is damaged: ${found}. Restore it from a backup.`);
    this.key = key;
  }
}
