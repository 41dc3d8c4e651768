import type { Client, Json } from './client.ts';

/**
 * What a server holds in part: things that were being made when it was killed may be there or not, but each must be whole.
 * @returns what is not, in words
 */
export async function findHalfThere(client: Client, project: string): Promise<string[]> {
  const found: string[] = [];

  const { objs } = await client.ask('POST', '/objs/query', { project_id: project });
  for (const { object_id, digest, val } of objs as Json[]) {
    if (val === null || typeof val !== 'object') found.push(`version ${object_id}:${digest} has no value`);
  }

  const queues = [(await client.try('POST', '/annotation_queues/query', { project_id: project })).json].flat();
  for (const { id } of queues as Json[]) {
    const { items } = await client.ask('POST', `/annotation_queues/${id}/items/query`, { project_id: project });
    for (const item of items) {
      if (!item.call_op_name || !item.call_started_at) found.push(`item ${item.id} has no copy of its call`);
    }
  }

  const calls = [(await client.try('POST', '/calls/stream_query', { project_id: project })).json].flat();
  const ids = new Set(calls.map((call: Json) => call?.id));
  for (const call of calls as Json[]) {
    if (call === null || !call.op_name || !call.started_at) found.push(`call ${call?.id} cannot be read`);
    // A parent is deleted together with its children: a child that lives alone was forgotten.
    if (call?.parent_id && call.op_name === 'work' && !ids.has(call.parent_id))
      found.push(`child ${call.id} outlives its parent`);
  }
  return found;
}
