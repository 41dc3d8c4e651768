import { type Check, expectEqual } from './ledger.ts';
import { completeOf } from './write-calls.ts';
import type { Writer } from './writers.ts';

/** Makes a queue, adds calls, moves an item on to its end, and deletes the queue. */
export const changeQueues: Writer = async (client, project, ledger) => {
  const calls = [completeOf(project), completeOf(project)];
  await client.ask('POST', `/v2/${project}/calls/complete`, { batch: calls });
  const name = `queue ${calls[0]!.id}`;
  let queue = '';
  const isThere: Check = async (reader) => {
    const { status } = await reader.try('GET', `/annotation_queues/${queue}?project_id=${project}`);
    return expectEqual(status, 200);
  };
  const create = async () => {
    ({ id: queue } = await client.ask('POST', '/annotation_queues', { project_id: project, name, scorer_refs: [] }));
  };
  await ledger.change([name], create, [isThere]);

  const itemsOf = async (reader: typeof client) =>
    (await reader.ask('POST', `/annotation_queues/${queue}/items/query`, { project_id: project })).items as Item[];
  const hasItems: Check = async (reader) => {
    const found = (await itemsOf(reader)).map((item) => [item.call_id, item.call_op_name]).toSorted();
    return expectEqual(found, calls.map(({ id }) => [id, 'work']).toSorted());
  };
  const call_ids = calls.map(({ id }) => id);
  const add = () =>
    client.ask('POST', `/annotation_queues/${queue}/items`, { project_id: project, call_ids, display_fields: [] });
  await ledger.change([`items of ${name}`], add, [hasItems]);

  const item = (await itemsOf(client))[0]!.id;
  for (const state of ['in_progress', 'completed']) {
    const path = `/annotation_queues/${queue}/items/${item}/progress`;
    const isIn: Check = async (reader) =>
      expectEqual((await itemsOf(reader)).find(({ id }) => id === item)?.annotation_state, state);
    const step = () => client.ask('POST', path, { project_id: project, annotation_state: state });
    await ledger.change([`progress in ${name}`], step, [isIn]);
  }
  if (Math.random() < 0.5) return;
  const isGone: Check = async (reader) => {
    const { status } = await reader.try('GET', `/annotation_queues/${queue}?project_id=${project}`);
    return expectEqual(status, 404);
  };
  await ledger.change([name], () => client.ask('DELETE', `/annotation_queues/${queue}?project_id=${project}`), [
    isGone,
  ]);
};

type Item = { id: string; call_id: string; call_op_name: string; annotation_state: string };
