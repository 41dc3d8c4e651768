import type { Caller } from '../../identity/identity.ts';
import { Failure } from '../../util/failures.ts';
import { JsonDepthError, JsonSyntaxError } from '../../util/json/errors.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Project } from '../owner.ts';
import type { Spans } from '../spans/spans.ts';
import type { ImportItem, ReadRecord } from './item.ts';
import { jsonRecords } from './json-records.ts';
import { readLangfuseRecord } from './langfuse.ts';
import { readPhoenixRecord } from './phoenix.ts';
import { openTextFile } from './read-file.ts';
import { readWeaveRecord } from './weave.ts';
import { openItemWriter } from './write-items.ts';

export type ImportSource = keyof typeof sources;

const sources = { weave: readWeaveRecord, phoenix: readPhoenixRecord, langfuse: readLangfuseRecord } satisfies Record<
  string,
  ReadRecord
>;

export const importSources = Object.keys(sources) as [ImportSource, ...ImportSource[]];

type Import = {
  source: ImportSource;
  path: string;
  /** `entity/project` */
  project: string;
  caller: Caller;
  /** Called from time to time. */
  onProgress(doneBytes: number, totalBytes: number): void;
  signal: AbortSignal;
};

/** The result of an import. */
type ImportReport = {
  records: number;
  calls: number;
  feedback: number;
  refused: number;
  /** The reasons for the first rejections. */
  reasons: string[];
};

/** Imports the exports of other tools. */
export type Imports = {
  /**
   * Imports a file. Ids and times stay the same, so a repeated import changes nothing, and one that was interrupted can be
   * repeated. A record that cannot be imported is reported, and the others are imported.
   * @throws Failure for an invalid file or project
   */
  run(order: Import): Promise<ImportReport>;
};

const recordsInBatch = 500;
const charactersInBatch = 4 * 1024 * 1024;
const reasonsMax = 20;

export function openImports(
  deps: Pick<Deps, 'identity'>,
  services: { calls: Calls; spans: Spans; feedback: Feedback },
  settings: { redacts: boolean },
): Imports {
  return {
    async run({ source, path, project: name, caller, onProgress, signal }) {
      const file = await openTextFile(path);
      const project: Project = { id: await deps.identity.projectForWrite(caller, name), name };
      const writer = openItemWriter({ ...deps, ...services }, { project, caller, ...settings });
      const report: ImportReport = { records: 0, calls: 0, feedback: 0, refused: 0, reasons: [] };
      const refuse = (reason: string) => {
        report.refused++;
        if (report.reasons.length < reasonsMax) report.reasons.push(reason);
      };
      let batch: ImportItem[] = [];
      let size = 0;
      const flush = async () => {
        signal.throwIfAborted();
        const { calls, feedback, refused } = await writer.write(batch);
        report.calls += calls;
        report.feedback += feedback;
        for (const reason of refused) refuse(reason);
        [batch, size] = [[], 0];
        onProgress(file.readBytes(), file.sizeBytes);
      };
      for await (const { number, text } of jsonRecords(file.text)) {
        report.records++;
        try {
          batch.push(...sources[source](text, { project: name }));
        } catch (error) {
          if (!(error instanceof Failure || error instanceof JsonSyntaxError || error instanceof JsonDepthError))
            throw error;
          refuse(`record ${number}: ${error.message}`);
        }
        size += text.length;
        if (batch.length >= recordsInBatch || size >= charactersInBatch) await flush();
      }
      await flush();
      return report;
    },
  };
}
