import { basename } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../identity/identity.ts';
import type { Services } from '../services/services.ts';
import { Failure } from '../util/failures.ts';
import { JsonDepthError, JsonSyntaxError } from '../util/json/errors.ts';
import type { ImportItem, ReadRecord } from './item.ts';
import { jsonRecords } from './json-records.ts';
import { readLangfuseRecord } from './langfuse.ts';
import { ownerOfImport } from './owner-of-import.ts';
import { readPhoenixRecord } from './phoenix.ts';
import { openTextFile } from './read-file.ts';
import type { Watch } from './watch.ts';
import { readWeaveRecord } from './weave.ts';
import { openItemWriter } from './write-items.ts';

type Source = keyof typeof sources;

const sources = { weave: readWeaveRecord, phoenix: readPhoenixRecord, langfuse: readLangfuseRecord } satisfies Record<
  string,
  ReadRecord
>;

export const importTracesParams = z.object({
  source: z.enum(Object.keys(sources) as [Source, ...Source[]]),
  path: z.string(),
  /** Without one, the project named for the tool. */
  project: z.string().optional(),
});

/** The result of an import. */
type ImportReport = {
  records: number;
  calls: number;
  feedback: number;
  refused: number;
  /** The reasons for the first rejections. */
  reasons: string[];
};

type Parts = {
  identity: Identity;
  services: Pick<Services, 'calls' | 'spans' | 'feedback'>;
  /** Whether payloads are searched for credentials. */
  redacts: boolean;
};

const recordsInBatch = 500;
const charactersInBatch = 4 * 1024 * 1024;
const reasonsMax = 20;

/**
 * Imports a file that another tool exported. Ids and times stay the same, so a repeated import changes nothing, and one that
 * was interrupted can be repeated. A record that cannot be imported is reported, and the others are imported.
 * @throws Failure for an invalid file or project
 */
export async function importTraces(
  { identity, services, redacts }: Parts,
  { source, path, project: given }: z.output<typeof importTracesParams>,
  watch: Watch,
): Promise<ImportReport & { project: string }> {
  const file = await openTextFile(path);
  const { project, caller } = await ownerOfImport(identity, given ?? source);
  const writer = openItemWriter(services, { project, caller, redacts });
  const report: ImportReport = { records: 0, calls: 0, feedback: 0, refused: 0, reasons: [] };
  const refuse = (reason: string) => {
    report.refused++;
    if (report.reasons.length < reasonsMax) report.reasons.push(reason);
  };
  let batch: ImportItem[] = [];
  let size = 0;
  const flush = async () => {
    watch.signal.throwIfAborted();
    const { calls, feedback, refused } = await writer.write(batch);
    report.calls += calls;
    report.feedback += feedback;
    for (const reason of refused) refuse(reason);
    [batch, size] = [[], 0];
    const [doneBytes, totalBytes] = [file.readBytes(), file.sizeBytes];
    watch.report({ step: 'importing', file: basename(path), doneBytes, totalBytes });
  };
  for await (const { number, text } of jsonRecords(file.text)) {
    report.records++;
    try {
      batch.push(...sources[source](text, { project: project.name }));
    } catch (error) {
      if (!(error instanceof Failure || error instanceof JsonSyntaxError || error instanceof JsonDepthError))
        throw error;
      refuse(`record ${number}: ${error.message}`);
    }
    size += text.length;
    if (batch.length >= recordsInBatch || size >= charactersInBatch) await flush();
  }
  await flush();
  return { ...report, project: project.name };
}
