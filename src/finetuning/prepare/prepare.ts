import type { Readable } from 'node:stream';
import type { BaseModel } from '../../domain/model.ts';
import type { ModelReader } from '../../inference/model-reader.ts';
import { invalidInput } from '../../util/failures.ts';
import { linesOf } from '../../util/lines.ts';
import { NotTextError } from '../../util/utf8-text.ts';
import { nameOfData, paramOfData } from './faulty-lines.ts';
import { giveThread, takeThread } from './kept-thread.ts';
import type { AnyPrepareRequest, PreparedKind, PreparedOf, PrepareRequest } from './prepare-worker.ts';

/** Sent to the thread at once. */
const charactersTogether = 1024 * 1024;

/** Which data is prepared for which base model. */
export type WantedPreparation<Kind extends PreparedKind> = Omit<PrepareRequest<Kind>, 'textPath' | 'contextLength'> & {
  base: BaseModel;
};

/** Prepares the data of a job in a separate thread, line by line. @throws Failure for unusable data */
export async function prepareInThread<Kind extends PreparedKind>(
  modelReader: ModelReader,
  data: Readable,
  { base, ...wanted }: WantedPreparation<Kind>,
  signal: AbortSignal,
): Promise<PreparedOf[Kind]> {
  try {
    const { contextLength } = await modelReader.sizes(base);
    return await modelReader.withTextFiles(base, (textPath) =>
      inThread<Kind>(data, base.id, { ...wanted, textPath, contextLength }, signal),
    );
  } finally {
    data.destroy();
  }
}

async function inThread<Kind extends PreparedKind>(
  data: Readable,
  baseId: string,
  request: PrepareRequest<Kind>,
  signal: AbortSignal,
): Promise<PreparedOf[Kind]> {
  const thread = takeThread(baseId);
  const { worker } = thread;
  try {
    // TypeScript does not see that the request is one of the kinds.
    await worker.request('begin', request as AnyPrepareRequest, { signal });
    for await (const lines of inBatches(linesOf(data, nameOfData(request)))) {
      await worker.request('add', lines, { signal });
    }
    const prepared = await worker.request('finish', undefined as never, { signal });
    await giveThread(thread);
    return prepared as PreparedOf[Kind]; // the thread prepares what its first request asks for
  } catch (error) {
    await worker.kill();
    throw error instanceof NotTextError ? invalidInput(error.message, { param: paramOfData(request) }) : error;
  }
}

async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += line.length + 1;
    if (characters < charactersTogether) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
