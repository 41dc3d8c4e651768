import { onTestFinished } from 'vitest';
import { openVllmServers, type VllmServers } from '../vllm-servers.ts';
import { startVllmDouble, type VllmDouble } from './vllm-double.ts';

type Options = Partial<Parameters<typeof openVllmServers>[0]>;

/** Short times, so that tests need not wait. */
const limits = {
  connectMsMax: 500,
  answerMsMax: 2_000,
  firstMsMax: 5_000,
  stallMsMax: 5_000,
  checkMs: 60_000,
  circuit: { failuresMax: 2, firstMs: 20, waitMsMax: 40 },
};

/** For one test. */
export async function openServers(addresses: string[], options: Options = {}): Promise<VllmServers> {
  const log = { info() {}, warn() {} };
  const servers = await openVllmServers({
    ...{ addresses, apiKey: null, log, ...options },
    limits: { ...limits, ...options.limits },
  });
  onTestFinished(() => servers.close());
  await Promise.allSettled(servers.models().map(({ name }) => servers.capabilities(name))); // probes are requests, too
  return servers;
}

/** For one test. */
export async function startDouble(options: Parameters<typeof startVllmDouble>[0] = {}): Promise<VllmDouble> {
  const double = await startVllmDouble(options);
  onTestFinished(() => double.close());
  return double;
}

/** So many that each of two servers is the first for some of them. */
export const affinities = Array.from({ length: 30 }, (_, i) => `affinity ${i}`);

const never = new AbortController().signal;

export const asked = (body: Record<string, unknown> = {}, more: { adapter?: string; signal?: AbortSignal } = {}) => ({
  model: 'tiny',
  body: { prompt: [5, 6, 7], max_tokens: 4, return_token_ids: true, ...body },
  affinity: 'a',
  signal: never,
  ...more,
});

export async function idsOf(chunks: AsyncIterable<{ choices: { token_ids?: number[] | null | undefined }[] }>) {
  const ids: number[] = [];
  for await (const { choices } of chunks) for (const { token_ids } of choices) ids.push(...(token_ids ?? []));
  return ids;
}
