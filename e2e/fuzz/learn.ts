import type { World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any;
type Lesson = (world: World, sent: Body, got: Body) => void;

/** What a request that was answered with 200 has made, by its path. */
const lessons: Record<string, Lesson> = {
  '/call/start': (world, { start }, got) => learnCall(world, start.project_id, got),
  '/v2/{entity}/{project}/calls/complete': (world, { batch }) => {
    for (const call of batch) learnCall(world, call.project_id, call);
  },
  '/call/upsert_batch': (world, { batch }, { res }) => {
    for (const [index, item] of batch.entries()) learnCall(world, item.req?.start?.project_id, res[index]);
  },
  '/obj/create': (world, { obj }, { digest }) => {
    world.add('object', obj.object_id);
    world.add('version', digest);
    world.add('ref', `weave:///${obj.project_id}/object/${obj.object_id}:${digest}`);
  },
  '/table/create': (world, { table }, { digest, row_digests: rows }) => {
    world.add('table', digest);
    world.add('row', rows[0]);
    world.add('ref', `weave:///${table.project_id}/table/${digest}`);
  },
  '/table/create_from_digests': (world, _, { digest }) => world.add('table', digest),
  '/table/update': (world, _, { digest }) => world.add('table', digest),
  '/file/create': (world, _, { digest }) => world.add('file', digest),
  '/feedback/create': (world, _, { id }) => world.add('feedback', id),
  '/annotation_queues': (world, _, { id }) => world.add('queue', id),
  '/annotation_queues/{queue_id}/items/query': (world, _, { items }) => {
    for (const { id } of items) world.add('item', id);
  },
  '/evaluations/evaluate_model': (world, _, { call_id: id }) => world.add('call', id),
  '/v2/{entity}/{project}/evaluation_runs': (world, _, { evaluation_run_id: id }) => world.add('call', id),
  '/v2/{entity}/{project}/predictions': (world, _, { prediction_id: id }) => world.add('call', id),
  '/v2/{entity}/{project}/scores': (world, _, { score_id: id }) => world.add('call', id),
  '/v1/preview/models': (world, _, { id }) => world.add('trained model', id),
  '/v1/preview/training-jobs': (world, _, { id }) => world.add('training job', id),
  '/v1/files': (world, _, { id }) => world.add('uploaded file', id),
  '/v1/fine_tuning/jobs': (world, _, { id }) => world.add('fine-tuning job', id),
  '/v1/responses': (world, _, { id }) => world.add('response', id),
  '/v1/evals': (world, _, { id }) => world.add('openai eval', id),
  '/keys': (world, _, { id, key }) => {
    if (key !== undefined) world.add('key', id); // made by this run: revoking it does no harm
  },
  '/cost/create': (world, _, { ids }) => {
    for (const [id] of ids) world.add('price', id);
  },
};

/** Adds to the world what an answered request has made. */
export function learn(world: World, path: string, sent: Buffer | null, got: string): void {
  const lesson = lessons[path];
  if (!lesson) return;
  const read = [sent?.toString() ?? '', got].map(parsed);
  // What was sent may be JSON that only the server reads, such as NaN, or an upload.
  if (read[1] === null) return;
  try {
    lesson(world, read[0] ?? {}, read[1]);
  } catch {
    // nothing to learn of a request whose names are of other types
  }
}

function learnCall(world: World, project: string | undefined, call: Body): void {
  world.add('call', call?.id);
  world.add('trace', call?.trace_id);
  if (call?.id && project) world.add('ref', `weave:///${project}/call/${call.id}`);
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
