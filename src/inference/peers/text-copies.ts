import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ggufName, isTextFileName } from '../../chat/tokenizer/text-files.ts';
import type { BaseModel } from '../../domain/model.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import { Failure } from '../../util/failures.ts';
import { beginDigest, type ListedFile } from '../../util/files-digest.ts';
import type { PeerFrame } from './messages.ts';
import { type PeerClient, PeerLost } from './peer-client.ts';

type Options = {
  /** A folder for the copies alone. Those of an earlier process are deleted. */
  folder: string;
  client: Pick<PeerClient, 'frames'>;
  /** @throws Failure if the disk has no room for so many bytes */
  requireRoom(bytes: number): void;
};

/** Copies of the text files of models whose files other processes have. They do not count as files of the model here. */
export type TextCopies = {
  /**
   * Calls `work` with the files that a process has now. They are fetched unless the copy has their digest, and stay until
   * `work` ends. @throws NoTextFiles if none of the processes sends them
   */
  use<Result>(
    model: BaseModel,
    processes: readonly OfferingProcess[],
    work: (path: string) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes the copies of models that are no longer served. */
  keepOnly(served: ReadonlySet<string>): void;
};

/** No process has sent the text files of a model. */
export class NoTextFiles extends Error {
  override name = 'NoTextFiles';
}

/** What another process has sent cannot be used. */
class FaultyFiles extends Error {
  override name = 'FaultyFiles';
}

type Copy = { digest: string; folder: string; path: string; users: number; isOutdated: boolean };

export function openTextCopies({ folder: root, client, requireRoom }: Options): TextCopies {
  rmSync(root, { recursive: true, force: true });
  /** By the ids of their models. */
  const copies = new Map<string, Copy>();
  const fetching = new Map<string, Promise<Copy>>();

  async function fetchFromAny(model: BaseModel, processes: readonly OfferingProcess[]): Promise<Copy> {
    let cause: unknown;
    for (const process of processes) {
      try {
        return await fetchFrom(process, model);
      } catch (error) {
        if (!isOfProcess(error)) throw error;
        cause = error;
      }
    }
    throw new NoTextFiles(`No process sends the text files of ${model.name}.`, { cause });
  }

  async function fetchFrom(process: OfferingProcess, model: BaseModel): Promise<Copy> {
    const before = copies.get(model.id);
    const frames = client.frames(process, { kind: 'textFiles', model, known: before?.digest ?? null });
    try {
      const first = await frames.next();
      if (first.done || first.value.kind !== 'textFiles') throw new FaultyFiles('The list of files is missing.');
      const { digest, files } = first.value;
      if (before?.digest === digest) return before;
      const copy = await receive(digest, files, frames);
      copies.set(model.id, copy);
      if (before) retire(before);
      return copy;
    } finally {
      await frames.return(undefined);
    }
  }

  async function receive(digest: string, files: ListedFile[], frames: AsyncGenerator<PeerFrame>): Promise<Copy> {
    check(files);
    requireRoom(files.reduce((sum, { bytes }) => sum + bytes, 0));
    const folder = join(root, randomUUID());
    try {
      if ((await write(folder, files, frames)) !== digest)
        throw new FaultyFiles('The files do not have the digest that was announced.');
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const path = files.some(({ name }) => name === ggufName) ? join(folder, ggufName) : folder;
    return { digest, folder, path, users: 0, isOutdated: false };
  }

  function retire(copy: Copy): void {
    copy.isOutdated = true;
    if (copy.users === 0) rmSync(copy.folder, { recursive: true, force: true });
  }

  return {
    async use(model, processes, work) {
      const fetched = fetching.get(model.id) ?? fetchFromAny(model, processes).finally(() => fetching.delete(model.id));
      fetching.set(model.id, fetched);
      const copy = await fetched;
      copy.users++;
      try {
        return await work(copy.path);
      } finally {
        copy.users--;
        if (copy.isOutdated) retire(copy);
      }
    },
    keepOnly(served) {
      for (const [id, copy] of copies) {
        if (served.has(id)) continue;
        copies.delete(id);
        retire(copy);
      }
    },
  };
}

/** @throws FaultyFiles for names outside of the folder, and for more than a model has */
function check(files: ListedFile[]): void {
  const wrong = files.find(({ name }) => !isTextFileName(name));
  if (wrong) throw new FaultyFiles(`No text file has the name ${JSON.stringify(wrong.name)}.`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (!(bytes <= bytesMax)) throw new FaultyFiles(`The files have ${bytes} bytes; at most ${bytesMax} are fetched.`);
}

/** Writes the files into a folder. @returns their digest */
async function write(folder: string, files: ListedFile[], frames: AsyncGenerator<PeerFrame>): Promise<string> {
  const hash = beginDigest(files);
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, 'wx');
    for (let missing = bytes; missing > 0; ) {
      const { value: frame } = await frames.next();
      if (frame?.kind !== 'bytes') throw new FaultyFiles(`${missing} bytes of ${name} are missing.`);
      missing -= frame.bytes.length;
      if (missing < 0) throw new FaultyFiles(`${name} is longer than announced.`);
      await file.writeFile(frame.bytes);
      hash.update(frame.bytes);
    }
  }
  return hash.digest('hex');
}

/** Whether another process may do better. */
function isOfProcess(error: unknown): boolean {
  return (
    error instanceof PeerLost ||
    error instanceof FaultyFiles ||
    (error instanceof Failure && error.kind === 'unavailable')
  );
}

/** The largest `tokenizer.json` of common models has 33 MB. */
const bytesMax = 128 * 1024 * 1024;
