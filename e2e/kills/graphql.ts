import type { Client, Json } from './client.ts';

/** The data of an answer. @throws if it has errors */
export async function askGraphql(client: Client, query: string, variables: object): Promise<Json> {
  const { data, errors } = await client.ask('POST', '/graphql', { query, variables });
  if (errors) throw new Error(`POST /graphql: 200 ${JSON.stringify(errors)}`);
  return data;
}
