import type { AdapterReference } from '../chat/types.ts';
import type { WithModelFiles } from '../engine/models/with-model-files.ts';

/** Where the files of adapters are. */
export type AdapterPlaces = {
  withModelFiles: WithModelFiles;
  /** Calls `work` with a folder of the blobs below a prefix, which stays until it ends. */
  withLocalFiles: <Result>(prefix: string, work: (folder: string) => Promise<Result>) => Promise<Result>;
};

/** Calls `work` with the PEFT folder of an adapter, which stays until it ends. */
export function withAdapterFolder<Result>(
  { withModelFiles, withLocalFiles }: AdapterPlaces,
  { name, files }: { name: string; files: AdapterReference['files'] },
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if ('folder' in files) return work(files.folder);
  return 'model' in files ? withModelFiles({ id: files.model, name }, work) : withLocalFiles(files.blobs, work);
}
