/** The files of a store cannot be opened: the message says what was found and what to do. */
export class StoreUnusableError extends Error {
  constructor(store: string, directory: string, found: string, options?: ErrorOptions) {
    super(
      `${store} cannot open ${directory}: ${found}. If the disk is full, free some space and start again; else its files are ` +
        'damaged: restore the data directory from a backup.',
      options,
    );
  }
}

/** PostgreSQL's codes for damaged tables and damaged indexes. */
const damageCodes = new Set(['XX001', 'XX002']);

/** Describes an error that damaged files cause; null for any other. */
export function describeDamage(error: unknown): string | null {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (!damageCodes.has(code ?? '')) return null;
  return `PostgreSQL's files are damaged: ${message.split('\n', 1)[0]}. Restore the data directory from a backup.`;
}
