import { randomUUID } from 'node:crypto';
import { askGraphql } from './graphql.ts';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

const upsert = `mutation Upsert($entity: String, $project: String, $name: String, $config: JSONString) {
  upsertBucket(input: { entityName: $entity, modelName: $project, name: $name, config: $config }) { bucket { id } } }`;
const read = `query Read($entity: String, $project: String, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    state config historyLineCount summaryMetrics history(samples: 1000) } } }`;
const remove = 'mutation Remove($id: ID!) { deleteRun(input: { id: $id }) { clientMutationId } }';

/** Records a run: rows of its history, their summary, and its end. Every other one is deleted. */
export const recordRuns: Writer = async (client, project, ledger) => {
  const [entity, projectName] = project.split('/');
  const names = { entity, project: projectName, name: `run-${randomUUID()}` };
  const found = async (reader: typeof client) => (await askGraphql(reader, read, names)).project.run;

  const config = JSON.stringify({ lr: { value: Math.random() } });
  let id = '';
  const create = async () => {
    id = (await askGraphql(client, upsert, { ...names, config })).upsertBucket.bucket.id;
  };
  await ledger.change([`settings of ${names.name}`], create, [
    async (reader) => expectEqual((await found(reader))?.config, config),
  ]);

  const path = `/files/${project}/${names.name}/file_stream`;
  const rows: string[] = [];
  for (const last of [false, false, true]) {
    const added = Array.from({ length: 5 }, (_, n) => JSON.stringify({ _step: rows.length + n, loss: Math.random() }));
    const [offset, summary] = [rows.length, added.at(-1)!];
    rows.push(...added);
    const expected = [last ? 'finished' : 'running', rows.length, summary, [...rows]];
    const holds: Check = async (reader) => {
      const { state, historyLineCount, summaryMetrics, history } = (await found(reader)) ?? {};
      return expectEqual([state, historyLineCount, summaryMetrics, history], expected);
    };
    const files = {
      'wandb-history.jsonl': { offset, content: added },
      'wandb-summary.json': { offset: 0, content: [summary] },
    };
    const report = () => client.ask('POST', path, { files, ...(last ? { complete: true, exitcode: 0 } : {}) });
    await ledger.change([`history of ${names.name}`], report, [holds]);
  }

  if (Math.random() < 0.5) return;
  const things = [`settings of ${names.name}`, `history of ${names.name}`];
  const isGone: Check = async (reader) => expectEqual(await found(reader), null);
  await ledger.change(things, () => askGraphql(client, remove, { id }), [isGone, isGone]);
};
