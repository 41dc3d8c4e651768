import { LRUCache } from 'lru-cache';
import { textFilesOf } from '../../chat/tokenizer/text-files.ts';
import type { BaseModel } from '../../domain/model.ts';
import { ggufHeadBytes } from '../../engine/models/gguf/metadata.ts';
import { contentsOf, filesDigest } from '../../util/files-digest.ts';
import type { ModelReader } from '../model-reader.ts';
import type { PeerFrame } from './messages.ts';

type Asked = { model: BaseModel; known: string | null };

const knownMax = 1000;

/**
 * Sends the text files of a model: their list with their digest, then their contents, unless the other process has files of this
 * digest. The files are read twice, so that the other process notices if one changes meanwhile.
 */
export function openTextSender(reader: Pick<ModelReader, 'withTextFiles'>) {
  /** Where the heads of GGUF files end, by the ids of their models. A large vocabulary takes time to read. */
  const heads = new LRUCache<string, number>({ max: knownMax });

  return ({ model, known }: Asked, send: (frame: PeerFrame) => Promise<void>): Promise<void> =>
    reader.withTextFiles(model, async (path) => {
      const files = await textFilesOf(path, async () => {
        const bytes = heads.get(model.id) ?? (await ggufHeadBytes(path));
        heads.set(model.id, bytes);
        return bytes;
      });
      const digest = await filesDigest(files);
      await send({ kind: 'textFiles', digest, files: files.map(({ name, bytes }) => ({ name, bytes })) });
      if (digest === known) return;
      for await (const bytes of contentsOf(files)) await send({ kind: 'bytes', bytes });
    });
}
