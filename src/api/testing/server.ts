import { rmSync } from 'node:fs';
import { inject } from 'vitest';
import { modelServers } from '../../../testing/test-models.ts';
import { serversOf } from '../../../testing/test-stores.ts';
import { readConfig } from '../../config.ts';
import { serve } from '../../main.ts';
import { copyForProcess, copyStoreTemplate } from './store-template.ts';

export type TestAnswer = {
  status: number;
  text: string;
  /** The body as JSON; null where it is none. */
  json: any;
  /** The body as JSON lines. */
  lines: any[];
  headers: Headers;
};

type RequestOptions = { key?: string | null; headers?: Record<string, string>; method?: string };

export type TestServer = {
  url: string;
  key: string;
  entity: string;
  data: string;
  /** The name of a project nothing has been written to; it exists. */
  newProject(): Promise<string>;
  /** Sends JSON (text and bytes are sent as they are) with the owner's key. */
  post(path: string, body: unknown, options?: RequestOptions): Promise<TestAnswer>;
  get(path: string, options?: RequestOptions): Promise<TestAnswer>;
  close(): Promise<void>;
};

const ownerKey = 'test0owner0key'.padEnd(48, '0');

let shared: Promise<TestServer> | undefined;

/**
 * The server of this process, which the files of the Vitest project `api` use one after another: what a test writes is in a
 * project of its own, and nobody has called the server before. It is never closed, and its data are removed after all tests.
 */
export function testServer(): Promise<TestServer> {
  shared ??= startTestServer({}, copyForProcess(inject('storeTemplate')));
  return shared;
}

/** A real server on empty embedded stores and a free port, for one file of tests. */
export async function startTestServer(
  environment: Record<string, string> = {},
  data = copyStoreTemplate(inject('storeTemplate')),
): Promise<TestServer> {
  const settings = {
    ...{ HEDDLE_PORT: '0', HEDDLE_DRAIN_DELAY_SECONDS: '0', HEDDLE_DATA: data },
    ...{ HEDDLE_API_KEY: ownerKey, HEDDLE_OWNER: 'ent' },
  };
  const config = readConfig(
    {},
    { ...settings, HEDDLE_LOG_LEVEL: 'error', ...serversOf(data), ...modelServers(data), ...environment },
  );
  const server = await serve(config);
  let projects = 0;

  async function request(path: string, init: RequestInit, options: RequestOptions = {}): Promise<TestAnswer> {
    const { key = ownerKey, headers = {}, method } = options;
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(server.address + path, {
      ...init,
      ...(method ? { method } : {}),
      headers: { ...authorization, ...(init.headers as Record<string, string>), ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      get json() {
        return parse(text);
      },
      get lines() {
        return text.split('\n').filter(Boolean).map(parse);
      },
      headers: response.headers,
    };
  }

  const post: TestServer['post'] = (path, body, options) => {
    const isSentAsIs = typeof body === 'string' || body instanceof Uint8Array;
    const sent = isSentAsIs ? (body as BodyInit) : JSON.stringify(body);
    return request(path, { method: 'POST', body: sent, headers: { 'content-type': 'application/json' } }, options);
  };

  return {
    url: server.address,
    key: ownerKey,
    entity: 'ent',
    data,
    async newProject() {
      const name = `p${projects++}`;
      const query =
        'mutation Make($name: String, $entity: String) { upsertModel(input: {name: $name, entityName: $entity}) { model { name } } }';
      const made = await post('/graphql', { query, variables: { name, entity: 'ent' } });
      if (made.json?.data?.upsertModel?.model?.name !== name) throw new Error(`no project: ${made.text}`);
      return `ent/${name}`;
    },
    post,
    get: (path, options) => request(path, { method: 'GET' }, options),
    async close() {
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
