import type { WithModelFiles } from '../models/with-model-files.ts';

/** The files of the only model of a test. */
export function filesAt(path: string): WithModelFiles {
  return (_, work) => work(path);
}
