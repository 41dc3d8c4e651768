import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Config, readConfig } from '../config.ts';
import { MemoryBudget } from '../engine/memory/memory-budget.ts';
import { folderFiles } from '../engine/registry/testing/model-files.ts';
import { openGraders } from '../evaluation/graders/graders.ts';
import { openRules } from '../evaluation/rules/rules.ts';
import { openTrainingFromCalls } from '../finetuning/from-calls/training-from-calls.ts';
import { openIdentity } from '../identity/identity.ts';
import { openOwnInference } from '../inference/own/own-inference.ts';
import { openOwnModelReader } from '../inference/own/own-model-reader.ts';
import { openServers } from '../inference/vllm/servers/testing/open-servers.ts';
import { type Jobs, openJobs } from '../jobs/jobs.ts';
import { evalQueue } from '../jobs/tasks/run-openai-eval.ts';
import { turnQueue } from '../jobs/tasks/run-turn.ts';
import { scanQueue } from '../jobs/tasks/scan-suite.ts';
import { trainingQueue } from '../jobs/tasks/train.ts';
import { makeLog } from '../log.ts';
import { openMetrics } from '../metrics/metrics.ts';
import { openProjectCode } from '../open/project-code.ts';
import { openTransport } from '../providers/transport.ts';
import { openServices } from '../services/services.ts';
import { filesOfDirectory, openBlobDirectory } from '../store/blobs/directory/blob-directory.ts';
import { verifiedBlobs } from '../store/blobs/verified-blobs.ts';
import { openBatchedInserter } from '../store/clickhouse/batched-inserter.ts';
import { openBackgroundCallWriter } from '../store/clickhouse/calls/write/background-writer.ts';
import { openCallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import { embeddedClickHouse } from '../store/clickhouse/embedded/open.ts';
import { generousLimits } from '../store/clickhouse/lanes/read-limits.ts';
import { migrateClickHouse } from '../store/clickhouse/migrate.ts';
import { type DataDirectory, openDataDirectory } from '../store/data-directory.ts';
import { openModels } from '../store/models/models.ts';
import { openAlone } from '../store/peers/alone.ts';
import { embeddedPostgres } from '../store/postgres/embedded/open.ts';
import { migratePostgres } from '../store/postgres/migrate.ts';
import { openSecretKey } from '../store/secret-key.ts';
import { openStoreHealth, type StoreHealth, type StoreProblem } from '../store/store-health.ts';
import { storeStates } from '../store/store-states.ts';
import type { AdminContext } from './admin-context.ts';
import { type OpenContext, runOperation } from './client.ts';
import { examine } from './doctor.ts';
import { startAdminServer } from './server.ts';
import { startFakeHub } from './testing/fake-hub.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-admin-'));
const config: Config = readConfig({ data: join(root, 'data') }, {});
const log = makeLog('silent', { write: () => {} });
let directory: DataDirectory;
let context: AdminContext;
let firstKey: string;
let closeStores: () => Promise<void>;

let jobs: Jobs;
let health: StoreHealth;
beforeAll(async () => {
  directory = openDataDirectory(config.data);
  const databases = {
    clickhouse: await embeddedClickHouse(directory.clickhouse, {
      limits: generousLimits,
      disk: { freeBytes: () => 2 ** 40 },
    }),
    postgres: await embeddedPostgres(directory.postgres),
  };
  const [clickhouse, postgres] = [databases.clickhouse.store, databases.postgres.store];
  await Promise.all([migrateClickHouse(clickhouse), migratePostgres(postgres)]);
  const peers = openAlone();
  const identity = openIdentity(postgres, peers);
  const models = await openModels(directory.models, postgres, [], peers);
  firstKey = (await identity.ensureOwner({ name: 'ada', apiKey: '' }))!;
  const calls = openCallWriter(clickhouse, peers);
  const laterCalls = openBackgroundCallWriter(calls, () => {});
  const writers = { calls, laterCalls, inserter: openBatchedInserter(clickhouse) };
  const stores = {
    clickhouse,
    postgres,
    identity,
    peers,
    blobs: verifiedBlobs(openBlobDirectory(directory.blobs)),
    directBlobs: null,
    localFiles: filesOfDirectory(directory.blobs),
    ...writers,
  };
  const inference = openOwnInference({
    limits: {} as never,
    memory: new MemoryBudget({ bytesMax: 0, setting: '' }),
    cacheDirectory: root,
    niceness: 0,
    withModelFiles: models.withFiles,
    withLocalFiles: stores.localFiles.use,
  });
  const backoff = { attemptsMax: 1, firstMs: 1, waitMsMax: 1 };
  const transport = openTransport({ privateHosts: '', timeoutMsMax: 1, bytesMax: 1, backoff });
  const modelReader = openOwnModelReader(models.withFiles);
  const forModels = { models, inference, modelReader, transport, secretKey: openSecretKey('', directory.path) };
  const draining = new AbortController().signal;
  jobs = await openJobs(postgres, openAlone(), { mayStart: () => true, onError: () => {} });
  const training = trainingQueue(jobs);
  const services = openServices(
    { ...stores, ...forModels, ...openProjectCode({ add: (part) => part }), draining },
    { redacts: false, adapterFolders: [], providerHosts: '', signedUrlSeconds: 60, artifactFileMaxBytes: 1000 },
    { training, evals: evalQueue(jobs), suites: scanQueue(jobs), loops: turnQueue(jobs) },
  );
  const parts = { models, modelReader, identity, postgres, calls: services.calls, training: services.training };
  const trainingFromCalls = openTrainingFromCalls({ ...parts, suites: services.suites, defaultBase: '' });
  const rules = openRules();
  const graders = openGraders({ completions: services.completions, rules });
  const stored = { config, identity, postgres, peers, clickhouse, databases, blobs: stores.blobs, models, modelReader };
  const metrics = openMetrics();
  const probes = { ClickHouse: databases.clickhouse.probe, PostgreSQL: databases.postgres.probe };
  health = openStoreHealth(probes, { onChange: () => {} });
  const watched = {
    storeStates: (problems: StoreProblem[]) => storeStates(Object.values(databases), problems),
    health,
    vllmServers: async () => [],
  };
  context = { ...stored, ...watched, address: null, services, jobs, trainingFromCalls, rules, graders, metrics };
  closeStores = async () => {
    health.close();
    await jobs.close();
    await rules.close();
    await postgres.close();
    await clickhouse.close();
  };
});

afterAll(async () => {
  await closeStores();
  directory.close();
  rmSync(root, { recursive: true });
});

/** Stands for a command that opens the stores itself; here they are open already. */
const alone: OpenContext = async () => ({ ...context, close: async () => {} });
const never: OpenContext = async () => {
  throw new Error('the stores must not be opened beside a running server');
};

describe('beside a running server', () => {
  let server: { close(): Promise<void> };
  beforeAll(async () => {
    server = await startAdminServer(context, log);
  });
  afterAll(() => server.close());

  test("the socket is its owner's alone", () => {
    expect(statSync(directory.socket).mode & 0o777).toBe(0o600);
  });

  test('a command asks the server', async () => {
    const made = await runOperation(config, 'keys.create', { name: 'laptop' }, never);
    expect(await context.identity.authenticate({ 'wandb-api-key': made.key })).toMatchObject({ username: 'ada' });
    const listed = await runOperation(config, 'keys.list', {}, never);
    expect(listed).toContainEqual(
      expect.objectContaining({ name: 'laptop', ending: made.key.slice(-4), revokedAt: null }),
    );
  });

  test('a key revoked by a command is refused by the server at once', async () => {
    const made = await runOperation(config, 'keys.create', {}, never);
    expect(await context.identity.authenticate({ 'wandb-api-key': made.key })).not.toBeNull();
    await runOperation(config, 'keys.revoke', { which: made.id }, never);
    expect(await context.identity.authenticate({ 'wandb-api-key': made.key })).toBeNull();
  });

  test('sets, lists without values, and removes secrets; a well-known secret is limited to its host', async () => {
    const value = 'sk-recognizable';
    const set = await runOperation(config, 'secrets.set', { name: 'OPENAI_API_KEY', value }, never);
    expect(set).toEqual({ owner: 'ada', hosts: ['api.openai.com'] });
    const listed = await runOperation(config, 'secrets.list', {}, never);
    const line = { name: 'OPENAI_API_KEY', owner: 'ada', hosts: ['api.openai.com'], updatedAt: expect.any(String) };
    expect(listed).toEqual([line]);
    const removed = await runOperation(config, 'secrets.remove', { name: 'OPENAI_API_KEY' }, never);
    expect(removed).toEqual({ owner: 'ada' });
    expect(await runOperation(config, 'secrets.list', {}, never)).toEqual([]);
    const both = runOperation(config, 'secrets.set', { name: 'A', value, entity: 'ada', project: 'ada/p' }, never);
    await expect(both).rejects.toMatchObject({ status: 400, message: 'Give either --entity or --project, not both.' });
  });

  test('an expected failure arrives with its words', async () => {
    const asked = runOperation(config, 'keys.create', { user: 'nobody' }, never);
    await expect(asked).rejects.toMatchObject({ status: 404, message: 'There is no user nobody.' });
  });

  test('a pull ends with the command that asked for it, and the next one goes on', async () => {
    const hub = await startFakeHub(folderFiles());
    hub.faults.set('model.safetensors', [{ kind: 'stall', afterBytes: 600 }]);
    const place = {
      kind: 'hub' as const,
      repository: 'team/model',
      revision: 'main',
      endpoint: hub.endpoint,
      token: '',
    };
    const asked = request({ socketPath: directory.socket, path: '/models.pull', method: 'POST' });
    asked.on('error', () => {}); // it is destroyed below
    asked.end(JSON.stringify({ place }));
    await vi.waitFor(() => expect(hub.asked).toContain('model.safetensors'), { timeout: 20_000 });
    asked.destroy();
    const again = () => runOperation(config, 'models.pull', { place }, never);
    await vi.waitFor(async () => expect(await again()).toMatchObject({ name: 'team/model' }), { timeout: 20_000 });
    const steps: string[] = [];
    const listed = await runOperation(config, 'models.list', {}, never);
    expect(listed).toEqual([expect.objectContaining({ name: 'team/model' })]);
    await runOperation(config, 'models.remove', { name: 'team/model' }, never);
    await runOperation(config, 'models.pull', { place }, never, ({ step }) => steps.push(step));
    expect(steps).toEqual(expect.arrayContaining(['asking', 'downloading', 'checking']));
    await runOperation(config, 'models.remove', { name: 'team/model' }, never);
    await hub.close();
  });

  test('unknown operations and malformed parameters are refused', async () => {
    await expect(runOperation(config, 'coffee' as never, {} as never, never)).rejects.toMatchObject({ status: 404 });
    await expect(runOperation(config, 'keys.revoke', {} as never, never)).rejects.toMatchObject({ status: 422 });
  });
});

describe('without a server', () => {
  test('a command works on the stores themselves', async () => {
    expect(await runOperation(config, 'env', {}, alone)).toEqual({ address: null, entity: 'ada' });
  });

  test('the socket of a killed server is no hindrance', async () => {
    const killed = createServer().listen(directory.socket);
    await new Promise((resolve) => killed.once('listening', resolve));
    // Closing would remove the file, as a killed process cannot: keep a listener-less socket in its place.
    const kept = `${directory.socket}.kept`;
    renameSync(directory.socket, kept);
    await new Promise((resolve) => killed.close(resolve));
    renameSync(kept, directory.socket);
    expect(existsSync(directory.socket)).toBe(true);
    expect(await runOperation(config, 'users.list', {}, alone)).toHaveLength(1);
    rmSync(directory.socket);
  });

  test('a command says where data would come from when there is none', async () => {
    const empty = { ...config, data: join(root, 'empty') };
    await expect(runOperation(empty, 'keys.list', {}, alone)).rejects.toThrow('Run `heddle serve` to create it');
    expect(existsSync(empty.data)).toBe(false);
  });
});

describe('the doctor', () => {
  test('finds nothing wrong with a fresh directory, and tells sizes, schemas and settings', async () => {
    const { findings, stores, settings } = await examine(context);
    expect(stores).toEqual([
      {
        ...{ name: 'ClickHouse', kind: 'embedded', address: null, isUp: true },
        ...{ version: expect.stringMatching(/^\d+\./), latencySeconds: expect.any(Number) },
        ...{ freeBytes: 2 ** 40, usedBytes: null },
      },
      expect.objectContaining({ name: 'PostgreSQL', isUp: true, latencySeconds: expect.any(Number), freeBytes: null }),
    ]);
    expect(findings.filter((each) => each.state !== 'good')).toEqual([]);
    expect(findings.map((each) => each.what)).toEqual([
      'Server',
      'Data directory',
      'ClickHouse',
      'PostgreSQL',
      'Files',
      'Models',
      'Keys',
      'Secrets',
    ]);
    expect(settings).toContainEqual({ name: 'HEDDLE_DATA', value: config.data, source: '--data' });
    expect(settings).toContainEqual({ name: 'HEDDLE_PORT', value: '7400', source: 'default' });
  });

  test('never shows a key', async () => {
    const given = { ...context, config: { ...config, apiKey: firstKey } };
    expect(JSON.stringify(await examine(given))).not.toContain(firstKey);
  });

  test('says what to do when HEDDLE_API_KEY is not a key of this server', async () => {
    const { findings } = await examine({ ...context, config: { ...config, apiKey: 'x'.repeat(40) } });
    expect(findings.find((each) => each.what === 'Keys')).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('keys create'),
    });
  });

  test('reports a check that has no result in time, and does not wait for it', async () => {
    const asked = Promise.withResolvers<void>();
    const listKeys = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const late = new AbortController();
    const limits = { readingMsMax: 0, signal: late.signal };
    const examination = examine({ ...context, identity: { ...context.identity, listKeys } }, limits);
    await asked.promise;
    late.abort();
    const { findings } = await examination;
    expect(findings).toContainEqual(
      expect.objectContaining({ what: 'Keys', state: 'warning', found: 'not checked in time' }),
    );
  });

  test('looks at vLLM servers if there are any', async () => {
    const vllmConfig = { ...config, vllmUrl: 'http://127.0.0.1:9' };
    const servers = await openServers([vllmConfig.vllmUrl]);
    const { findings } = await examine({ ...context, config: vllmConfig, vllmServers: async () => servers.states() });
    expect(findings).toContainEqual(expect.objectContaining({ what: 'vLLM', state: 'wrong' }));
  });

  test('calls a server that does not answer wrong', async () => {
    const { findings } = await examine({ ...context, address: 'http://127.0.0.1:1' });
    expect(findings[0]).toMatchObject({ what: 'Server', state: 'wrong', advice: expect.any(String) });
  });
});
