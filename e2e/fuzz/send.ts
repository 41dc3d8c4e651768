import { Agent, request } from 'node:http';
import type { Request } from './request-arbitrary.ts';

export type Answer = {
  status: number;
  mediaType: string;
  text: string;
  ms: number;
};

/** No answer: the connection broke, or nothing came for too long. */
export class NoAnswer extends Error {}

/** Beyond this a request hangs. */
export const answerMsMax = 10_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a request as it is: `fetch` would tidy its path up. @throws NoAnswer */
export function send(address: string, { method, path, headers, body }: Request, key: string): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const startedAt = performance.now();
  const all = {
    authorization: `Bearer ${key}`,
    ...headers,
    ...(body ? { 'content-length': String(body.length) } : {}),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new NoAnswer(error.message, { cause: error }));
    const sent = request({ hostname, port, path, method, agent, headers: all }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(parts).toString();
        const mediaType = (response.headers['content-type'] ?? '').split(';')[0]!;
        resolve({ status: response.statusCode!, mediaType, text, ms: performance.now() - startedAt });
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${answerMsMax} ms`)), answerMsMax);
    sent.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end(body ?? undefined);
  });
}
