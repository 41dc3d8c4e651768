/**
 * Where our schemas differ from the reference on purpose, each with its reason. `where` is the path the test prints;
 * what lies below it is covered too.
 */
export const exceptions: { endpoint: string; where: string; reason: string }[] = [
  ...[
    ...['POST /calls/stream_query', 'POST /calls/query_stats'],
    ...['POST /feedback/query', 'POST /feedback/purge'],
  ].map((endpoint) => ({
    endpoint,
    where: 'body.query.$expr.$and[].$contains.input.$convert.input.$literal',
    reason: 'The reference lists objects and arrays as literals, but refuses them (calls.md, section 3.1).',
  })),
];
