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

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Where requests go, who sends them, and after how long without an answer a request hangs. */
export type Target = { url: string; key: string; answerMsMax: number };

/** Sends a request as it is: `fetch` would tidy its path up. @throws NoAnswer */
export function send(target: Target, { method, path, headers, body }: Request): Promise<Answer> {
  const { url, key, answerMsMax } = target;
  const { hostname, port } = new URL(url);
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
