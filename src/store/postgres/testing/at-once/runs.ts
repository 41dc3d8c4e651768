import { expect } from 'vitest';
import { appendLines } from '../../runs/lines.ts';
import { replaceHistory } from '../../runs/replace-history.ts';
import { addRunFiles, listRunFiles } from '../../runs/run-files.ts';
import { addRun } from '../../runs/runs.ts';
import { type Cases, each, type Start, writers } from './case.ts';

export const runCases: Cases = {
  /** Lines of several clients are all counted, those that are sent again once, and all changes of the summary are kept. */
  async 'store/postgres/runs/lines.ts appendLines'(start) {
    const { postgres } = start;
    const runId = await newRun(start);
    await each((index) =>
      appendLines(
        postgres,
        { runId, clientId: `c${index}` },
        [{ stream: 'history', firstLine: 0, lines: ['{}', '{}'] }],
        { summarize: (stored) => JSON.stringify({ ...JSON.parse(stored), [`k${index}`]: index }) },
      ),
    );
    const repeated = { stream: 'log' as const, firstLine: 0, lines: ['a', 'b', 'c'] };
    await each(() => appendLines(postgres, { runId, clientId: '' }, [repeated], {}));
    const { history_lines, log_lines, summary } = await countsOf(start, runId);
    expect(history_lines).toBe(2 * writers.length);
    expect(log_lines).toBe(3);
    expect(Object.keys(JSON.parse(summary))).toHaveLength(writers.length);
  },

  /** One of the histories is there as a whole. */
  async 'store/postgres/runs/replace-history.ts replaceHistory'(start) {
    const { postgres } = start;
    const runId = await newRun(start);
    await each((index) => replaceHistory(postgres, runId, Array(index + 1).fill(`${index}`), `{"last":${index}}`));
    const { history_lines, summary } = await countsOf(start, runId);
    const last = JSON.parse(summary).last;
    const stored = await postgres.db.selectFrom('run_lines').select('content').where('run_id', '=', runId).execute();
    expect(history_lines).toBe(last + 1);
    const lines = Array(last + 1).fill(`${last}`);
    expect(stored).toEqual([{ content: lines.join('\n') }]);
  },

  async 'store/postgres/runs/run-files.ts addRunFiles'(start) {
    const runId = await newRun(start);
    const added = await each((index) => addRunFiles(start.postgres, runId, [`f${index}`, 'shared'], 4));
    expect(added.filter(Boolean)).toHaveLength(3);
    expect(await listRunFiles(start.postgres, runId, 10)).toHaveLength(4);
  },
};

async function newRun({ postgres, projectId }: Start): Promise<string> {
  await addRun(postgres, { projectId, name: 'run', createdBy: 'u' });
  const run = await postgres.db
    .selectFrom('runs')
    .select('id')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return run.id;
}

function countsOf({ postgres }: Start, runId: string) {
  return postgres.db
    .selectFrom('runs')
    .select(['history_lines', 'log_lines', 'summary'])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
}
