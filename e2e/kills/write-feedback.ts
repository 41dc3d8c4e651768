import { randomUUID } from 'node:crypto';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

const idIs = (id: string) => ({ $expr: { $eq: [{ $getField: 'id' }, { $literal: id }] } });

/** Writes feedback, replaces it, and purges it. */
export const changeFeedback: Writer = async (client, project, ledger) => {
  const about = (score: number) => ({
    project_id: project,
    weave_ref: `weave:///${project}/call/x`,
    feedback_type: 'custom',
    payload: { score },
  });
  const scores = (id: string, score: number | null): Check => {
    return async (reader) => {
      const { result } = await reader.ask('POST', '/feedback/query', { project_id: project, query: idIs(id) });
      return expectEqual(result[0]?.payload.score ?? null, score);
    };
  };
  const name = randomUUID();
  let id = '';
  const create = async () => {
    ({ id } = await client.ask('POST', '/feedback/create', about(1)));
  };
  await ledger.change([`feedback ${name}`], create, [(reader) => scores(id, 1)(reader)]);
  let replaced = id;
  const replace = async () => {
    ({ id: replaced } = await client.ask('POST', '/feedback/replace', { ...about(2), feedback_id: id }));
  };
  const things = [`feedback ${name}`, `replaced feedback ${name}`];
  await ledger.change(things, replace, [
    (reader) => (replaced === id ? Promise.resolve(null) : scores(id, null)(reader)),
    (reader) => scores(replaced, 2)(reader),
  ]);
  if (Math.random() < 0.5) return;
  const purge = () => client.ask('POST', '/feedback/purge', { project_id: project, query: idIs(replaced) });
  await ledger.change([things[1]!], purge, [(reader) => scores(replaced, null)(reader)]);
};

/** Adds a price and purges it. */
export const changeCosts: Writer = async (client, project, ledger) => {
  const model = `model-${randomUUID()}`;
  const costs = { [model]: { prompt_token_cost: 0.5, completion_token_cost: 1 } };
  const isThere = (expected: boolean): Check => {
    return async (reader) => {
      const query = { $expr: { $eq: [{ $getField: 'llm_id' }, { $literal: model }] } };
      const { results } = await reader.ask('POST', '/cost/query', { project_id: project, query });
      return expectEqual(results.length === 1, expected);
    };
  };
  let id = '';
  const create = async () => {
    [[id]] = (await client.ask('POST', '/cost/create', { project_id: project, costs })).ids;
  };
  await ledger.change([`price of ${model}`], create, [isThere(true)]);
  const purge = () => client.ask('POST', '/cost/purge', { project_id: project, query: idIs(id) });
  await ledger.change([`price of ${model}`], purge, [isThere(false)]);
};
