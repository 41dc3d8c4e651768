import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** One request, its body encoded beforehand. */
export type Shot = { path: string; headers: Record<string, string>; body: Buffer };
export type Hit = { status: number; headers: IncomingHttpHeaders; text: string; ms: number };

/** Sends one request over a connection of the agent. */
export function send(address: string, agent: Agent, { path, headers, body }: Shot): Promise<Hit> {
  const { hostname, port } = new URL(address);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => {
          const { statusCode, headers } = response;
          resolve({ status: statusCode!, headers, text, ms: performance.now() - startedAt });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends requests over a number of connections, each as soon as the one before is answered. */
export async function sendAll(
  address: string,
  shots: Iterable<Shot>,
  connections: number,
): Promise<{ hits: Hit[]; seconds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const hits: Hit[] = [];
  const startedAt = performance.now();
  const next = shots[Symbol.iterator]();
  const connection = async () => {
    for (let shot = next.next(); !shot.done; shot = next.next()) hits.push(await send(address, agent, shot.value));
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return { hits, seconds: (performance.now() - startedAt) / 1000 };
}

/** The value below which a share of all values lie. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
