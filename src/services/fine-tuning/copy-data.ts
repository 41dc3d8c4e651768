import type { ProjectId } from '../../contract/ids.ts';
import { readOpenAiId } from '../../domain/openai-ids.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { UploadedFiles } from '../uploaded-files.ts';

type CopyDeps = Pick<Deps, 'blobs'> & { files: UploadedFiles };

/** The stored id of a file to train on. @throws Failure that names the parameter */
export async function findTrainingFile(
  { files }: CopyDeps,
  projectId: ProjectId,
  { id, param }: { id: string; param: 'training_file' | 'validation_file' },
): Promise<string> {
  const uuid = readOpenAiId('file-', id);
  const file = uuid && (await files.find(projectId, uuid));
  if (!file) throw invalidInput(`The ${param} ${id} does not exist in this project.`, { param });
  if (file.purpose === 'fine-tune') return file.id;
  throw invalidInput(`The ${param} ${id} was uploaded with the purpose ${file.purpose}; upload it with fine-tune.`, {
    param,
  });
}

/** Copies a file for a job, so that the file may be deleted. @returns the number of non-empty lines */
export async function copyData(
  { files, blobs }: CopyDeps,
  projectId: ProjectId,
  fileId: string,
  key: string,
): Promise<number> {
  const { stream } = await files.open(projectId, fileId);
  const counter = { lines: 0 };
  await blobs.put(key, countingLines(stream, counter));
  return counter.lines;
}

async function* countingLines(pieces: AsyncIterable<Uint8Array>, counter: { lines: number }) {
  let hasContent = false;
  for await (const piece of pieces) {
    for (const byte of piece) {
      if (byte === lineFeed) hasContent = false;
      else if (!hasContent && byte > space) {
        hasContent = true;
        counter.lines++;
      }
    }
    yield piece;
  }
}

const [lineFeed, space] = [0x0a, 0x20];
