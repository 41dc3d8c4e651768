import type { Client } from './client.ts';
import type { Ledger } from './ledger.ts';
import { changeAccess } from './write-access.ts';
import { changeAdapters } from './write-adapters.ts';
import { logArtifacts } from './write-artifacts.ts';
import { changeCalls, changeLargeCalls, deleteCalls, exportSpans } from './write-calls.ts';
import { changeCosts, changeFeedback } from './write-feedback.ts';
import { changeLabels, changeObjects } from './write-objects.ts';
import { changeQueues } from './write-queues.ts';
import { recordRuns } from './write-runs.ts';
import { changeTables, uploadFiles } from './write-tables.ts';
import { fineTune } from './write-uploads.ts';

export type Writer = (client: Client, project: string, ledger: Ledger) => Promise<void>;

/** Every kind of write, each a sequence that makes things and changes or removes them. */
export const writers: Record<string, Writer> = {
  calls: changeCalls,
  largeCalls: changeLargeCalls,
  deletions: deleteCalls,
  spans: exportSpans,
  objects: changeObjects,
  labels: changeLabels,
  tables: changeTables,
  files: uploadFiles,
  fineTuning: fineTune,
  feedback: changeFeedback,
  costs: changeCosts,
  queues: changeQueues,
  access: changeAccess,
  adapters: changeAdapters,
  runs: recordRuns,
  artifacts: logArtifacts,
};

/**
 * Lets every writer work, one sequence after another, until the server is gone. `expected` are the statuses of failures that
 * may occur meanwhile, because a store is away.
 */
export function startWriting(
  client: Client,
  project: string,
  ledger: Ledger,
  expected: number[] = [],
  chosen: Record<string, Writer> = writers,
): { ended: Promise<void>; stop(): void } {
  let isOver = false;
  const faults: Error[] = [];
  const work = async (writer: Writer) => {
    while (!isOver) {
      try {
        await writer(client, project, ledger);
      } catch (error) {
        const [, status] = /: (\d{3}) /.exec((error as Error).message) ?? [];
        const isExpected = status === undefined || expected.includes(Number(status));
        if (!isExpected)
          faults.push(error as Error); // an answer, but not a good one
        else if (isOver) return;
        else await new Promise((resolve) => setTimeout(resolve, status === undefined ? 5 : 100));
      }
    }
  };
  const ended = Promise.all(Object.values(chosen).map(work)).then(() => {
    if (faults.length > 0) throw faults[0];
  });
  return {
    ended,
    stop() {
      isOver = true;
    },
  };
}
