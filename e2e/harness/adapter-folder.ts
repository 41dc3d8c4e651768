import { fileURLToPath } from 'node:url';

/** Where the servers of tests may load adapters from. */
export const adapterFolders = fileURLToPath(new URL('../../testing/tiny-model', import.meta.url));

/** An adapter of heddle/tiny, which `scripts/tiny-model/write-adapter.ts` has written. */
export const adapterFolder = `${adapterFolders}/adapter`;
