/**
 * Where our schemas differ from the reference on purpose, each with its reason. `where` is the path that the test
 * prints; everything below it is covered too.
 */
export const exceptions: { endpoint: string; where: string; reason: string }[] = [
  {
    endpoint: 'POST /calls/stats',
    where: 'body#fields',
    reason: 'We also take a query, so that charts can show the calls of a filtered list.',
  },
  {
    endpoint: 'POST /calls/stats',
    where: 'answer#fields',
    reason: 'With group_by, which the reference lacks, the answer lists the groups.',
  },
  {
    endpoint: 'GET /server_info',
    where: 'answer#fields',
    reason: 'We also list the stores, with their versions and latencies for callers with a key.',
  },
  ...['body#fields', 'answer#fields'].map((where) => ({
    endpoint: 'POST /calls/stream_query',
    where,
    reason: 'With include_previews, each call has what it was asked and what it answered in a line.',
  })),
  ...['POST /calls/stream_query', 'POST /calls/query_stats', 'POST /calls/stats', 'POST /trace/usage'].map((endpoint) => ({
    endpoint,
    where: 'body.filter#fields',
    reason: 'Traces whose root is elsewhere are found by their topmost call, and threads by such turns, on request.',
  })),
  {
    endpoint: 'POST /threads/stream_query',
    where: 'body.filter#fields',
    reason: 'Topmost calls of traces whose root is elsewhere count as turns, on request.',
  },
  {
    endpoint: 'POST /obj/create',
    where: 'body.obj#fields',
    reason: 'With expected_latest, a version is refused if another one was published meanwhile.',
  },
  ...[
    { endpoint: 'POST /annotation_queues/stats', where: 'body#fields' },
    { endpoint: 'POST /annotation_queues/stats', where: 'answer.stats[]#fields' },
    { endpoint: 'POST /annotation_queues/{queue_id}/items/query', where: 'body#fields' },
    { endpoint: 'POST /annotation_queues/{queue_id}/items/query', where: 'body.filter#fields' },
    { endpoint: 'POST /annotation_queues/{queue_id}/items/query', where: 'answer.items[]#fields' },
    { endpoint: 'POST /annotation_queues/{queue_id}/items/{item_id}/progress', where: 'answer.item#fields' },
  ].map((each) => ({ ...each, reason: "We also report the caller's own progress, on request." })),
  ...['POST /calls/usage', 'POST /trace/usage'].map((endpoint) => ({
    endpoint,
    where: 'answer#fields',
    reason:
      'We add call_usage_counted_once, since the sums of the reference count what clients have added up again, and the sums of traces.',
  })),
  ...['POST /calls/usage', 'POST /trace/usage'].map((endpoint) => ({
    endpoint,
    where: 'answer.call_usage.*.*#fields',
    reason: 'We add what is paid beside tokens, and what the costs leave out.',
  })),
  ...[
    { endpoint: 'POST /call/upsert_batch', where: 'answer.res[]#fields' },
    { endpoint: 'POST /v2/{entity}/{project}/calls/complete', where: 'answer#fields' },
  ].map((each) => ({ ...each, reason: 'We say which items of a batch were refused, and take the others.' })),
  ...[
    'POST /calls/stream_query',
    'POST /calls/query_stats',
    'POST /trace/usage',
    'POST /cost/query',
    'POST /cost/purge',
    'POST /feedback/query',
    'POST /feedback/purge',
  ].map((endpoint) => ({
    endpoint,
    where: 'body.query.$expr.$and[].$contains.input.$convert.input.$literal',
    reason: 'The reference lists objects and arrays as literals, but refuses them (calls.md, section 3.1).',
  })),
  {
    endpoint: 'POST /v2/{entity}/{project}/eval_results/query',
    where: 'body.filters[].query.$expr.$and[].$contains.input.$convert.input.$literal',
    reason: 'The same.',
  },
  {
    endpoint: 'POST /v2/{entity}/{project}/eval_results/query',
    where: 'answer.summary.evaluations[].scorer_stats[]#fields',
    reason:
      'We add how many trials failed, the standard error and the interval of each score, and its difference from the first evaluation.',
  },
  {
    endpoint: 'POST /v2/{entity}/{project}/eval_results/query',
    where: 'answer.summary.evaluations[]#fields',
    reason: 'We add how many predictions and scores failed, and why, and what the cost leaves out.',
  },
  {
    endpoint: 'POST /v2/{entity}/{project}/eval_results/query',
    where: 'answer.rows[].evaluations[].trials[]#fields',
    reason: 'We add what the cost leaves out.',
  },
  ...['POST /completions/create', 'POST /completions/create_stream'].map((endpoint) => ({
    endpoint,
    where: 'body.inputs.function_call',
    reason: "We also accept an object that names a function, as OpenAI's API does.",
  })),
];
