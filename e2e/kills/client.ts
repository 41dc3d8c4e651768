import { setTimeout as sleep } from 'node:timers/promises';
import { askRunning } from '../../src/admin/client.ts';
import type { OperationAnswer, OperationName, Params } from '../../src/admin/operations.ts';
import type { Config } from '../../src/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Json = any;

/** What writes to a server that may be killed at any moment, and reads from the next one on its data. */
export type Client = {
  url: string;
  /** Sends JSON. @throws where the answer is no 200, or there is none */
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Json>;
  /** The status and body of any answer. */
  try(
    method: string,
    path: string,
    body?: object | FormData,
    key?: string,
  ): Promise<{ status: number; json: Json; text: string }>;
  upload(project: string, text: string): Promise<string>;
  /** What the command line asks of the server. */
  admin<Name extends OperationName>(name: Name, params: Params<Name>): Promise<OperationAnswer<Name>>;
};

/** @param timeoutMs how long it waits for an answer; by default for as long as `fetch` does */
export function openClient(server: { url: string; key: string }, data: string, timeoutMs?: number): Client {
  const attempt: Client['try'] = async (method, path, body, key = server.key) => {
    const isForm = body instanceof FormData;
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      body: isForm ? body : body && JSON.stringify(body),
      ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: parsed(text) };
  };
  const succeed: typeof attempt = async (method, path, body) => {
    for (;;) {
      const answer = await attempt(method, path, body);
      if (answer.status === 200) return answer;
      if (answer.status !== 429) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      await sleep(200);
    }
  };
  return {
    url: server.url,
    try: attempt,
    ask: async (method, path, body) => (await succeed(method, path, body)).json,
    async upload(project, text) {
      const form = new FormData();
      form.set('project_id', project);
      form.set('file', new Blob([text]), 'text.txt');
      return (await succeed('POST', '/file/create', form)).json.digest;
    },
    async admin<Name extends OperationName>(name: Name, params: Params<Name>): Promise<OperationAnswer<Name>> {
      const asked = await askRunning({ data } as Config, name, params); // of the settings, only the directory is read
      if (asked === null) throw new Error('The server is gone');
      return asked.answer;
    },
  };
}

/** One JSON value, or one a line. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text.split('\n').filter(Boolean).map(line);
  }
}

function line(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
