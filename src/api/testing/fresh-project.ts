import { afterAll, beforeAll, beforeEach } from 'vitest';
import { logCalls } from './calls.ts';
import { startTestServer, type TestServer } from './server.ts';

export type FreshProject = {
  readonly name: string;
  post: TestServer['post'];
  /** Sends finished calls to the project and returns their ids. */
  log(...calls: Record<string, unknown>[]): Promise<string[]>;
};

/** A project nothing has been written to, another for each test; on one server for the tests of a file. */
export function freshProject(): FreshProject {
  let server: TestServer;
  let name: string;
  beforeAll(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    name = await server.newProject();
  });
  afterAll(() => server.close());
  return {
    get name() {
      return name;
    },
    post: (path, body, options) => server.post(path, body, options),
    log: (...calls) => logCalls(server, name, calls),
  };
}
