import { createReadStream } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { type TextFile, textFilesOf } from '../../chat/tokenizer/text-files.ts';
import type { BaseModel } from '../../domain/model.ts';
import { ggufHeadBytes } from '../../engine/models/gguf/metadata.ts';
import type { ModelReader } from '../model-reader.ts';
import type { PeerFrame } from './messages.ts';
import { textDigest } from './text-digest.ts';

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
      const hash = textDigest(files);
      for await (const bytes of contentsOf(files)) hash.update(bytes);
      const digest = hash.digest('hex');
      await send({ kind: 'textFiles', digest, files: files.map(({ name, bytes }) => ({ name, bytes })) });
      if (digest === known) return;
      for await (const bytes of contentsOf(files)) await send({ kind: 'bytes', bytes });
    });
}

async function* contentsOf(files: TextFile[]): AsyncGenerator<Buffer> {
  for (const { path, bytes } of files) {
    if (bytes > 0) yield* createReadStream(path, { end: bytes - 1, highWaterMark: chunkBytes });
  }
}

const chunkBytes = 256 * 1024;
