import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type StubProvider, startStubProvider } from '../../providers/testing/stub-provider.ts';
import { startTestServer, type TestServer } from './server.ts';

export type ProviderProject = {
  readonly server: TestServer;
  readonly stub: StubProvider;
  readonly name: string;
  /** Goes on in another project. */
  renew(): Promise<void>;
  /** Publishes an object and returns its ref. */
  publish(objectId: string, val: object): Promise<string>;
  /** Publishes the stub as the provider `stub`, with these models: `custom::stub::MODEL`. */
  publishProvider(models: string[], fields?: object): Promise<void>;
};

/** A project for each test, on one server for a file that may send requests to a stub of a provider. */
export function providerProject(): ProviderProject {
  let stub: StubProvider;
  let server: TestServer;
  let name: string;
  beforeAll(async () => {
    stub = await startStubProvider();
    server = await startTestServer({ HEDDLE_PROVIDER_HOSTS: stub.host, HEDDLE_PROVIDER_ATTEMPTS_MAX: '1' });
  });
  beforeEach(async () => {
    name = await server.newProject();
    stub.received.length = 0;
    stub.answers.length = 0;
  });
  afterAll(async () => {
    await server.close();
    await stub.close();
  });

  async function publish(object_id: string, val: object): Promise<string> {
    const { json } = await server.post('/obj/create', { obj: { project_id: name, object_id, val } });
    return `weave:///${name}/object/${object_id}:${json.digest}`;
  }

  return {
    get server() {
      return server;
    },
    get stub() {
      return stub;
    },
    get name() {
      return name;
    },
    async renew() {
      name = await server.newProject();
    },
    publish,
    async publishProvider(models, fields = {}) {
      const ofClass = (of: string) => ({ _type: of, _class_name: of, _bases: ['Object', 'BaseModel'] });
      const common = { ...ofClass('Provider'), base_url: stub.url, api_key_name: '' };
      const provider = await publish('stub', { ...common, ...fields });
      for (const model of models) {
        await publish(`stub-${model}`, { ...ofClass('ProviderModel'), name: model, provider, max_tokens: 10 });
      }
    },
  };
}
