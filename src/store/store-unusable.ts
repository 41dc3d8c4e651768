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
