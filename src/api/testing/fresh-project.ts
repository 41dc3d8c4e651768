import { beforeAll, beforeEach } from 'vitest';
import { logCalls } from './calls.ts';
import { type TestServer, testServer } from './server.ts';

export type FreshProject = {
  readonly name: string;
  post: TestServer['post'];
  /** Sends finished calls to the project and returns their ids. */
  log(...calls: Record<string, unknown>[]): Promise<string[]>;
};

/** A project nothing has been written to, another for each test. */
export function freshProject(): FreshProject {
  let server: TestServer;
  let name: string;
  beforeAll(async () => {
    server = await testServer();
  });
  beforeEach(async () => {
    name = await server.newProject();
  });
  return {
    get name() {
      return name;
    },
    post: (path, body, options) => server.post(path, body, options),
    log: (...calls) => logCalls(server, name, calls),
  };
}
