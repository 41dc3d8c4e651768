import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Test processes inherit it. Vitest uses libuv's thread pool before the store could ask for a larger one (embedded/session.ts).
process.env.UV_THREADPOOL_SIZE ??= '48';
// As in src/cli/entry.mjs, for servers, threads and processes that tests start without it.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/**
 * Starts with the files that take longest, so that the last worker is not busy alone for minutes. Files of a project follow
 * one another: a process is shared only with the next file.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) =>
      order.indexOf(project.name) * slow.length - slow.findLastIndex((each) => moduleId.includes(each));
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const order = ['e2e', 'servers', 'alone', 'unit', 'api'];

/** The slowest last. */
const slow = [
  '/src/http/event-loop',
  '/e2e/python/',
  '/e2e/package',
  '/e2e/startup',
  '/e2e/wandb/',
  '/e2e/web/',
  '/e2e/training/',
  '/e2e/kill',
  '/e2e/fuzz/',
  '/e2e/damage',
];

/** Tests that count threads and child processes, or change signals, priorities or the umask of their process. */
const alone = [
  'src/api/workers-at-shutdown.test.ts',
  'src/api/chat/crash.test.ts',
  'src/inference/hosts/*.test.ts',
  'src/inference/own/*.test.ts',
  'src/chat/structured/grammars.test.ts',
  'src/chat/templates/untrusted-templates.test.ts',
  'src/training/local/*.test.ts',
  'src/store/data-directory.test.ts',
  'src/store/clickhouse/embedded/signals.test.ts',
  'src/util/give-way.test.ts',
  'src/util/workers/*.test.ts',
];

/** Tests of endpoints that stop the server, change its settings, or count what all projects have. */
const withOwnServer = [
  'src/api/tinker/tinker.test.ts',
  'src/api/accounts/accounts.test.ts',
  'src/api/calls/older-stores.test.ts',
  'src/api/catalogue/catalogue.test.ts',
  'src/api/chat/at-vllm.test.ts',
  'src/api/chat/company.test.ts',
  'src/api/chat/logprob-limit.test.ts',
  'src/api/chat/schema-violations.test.ts',
  'src/api/completions/completions.test.ts',
  'src/api/files/files.test.ts',
  'src/api/policies/policies.test.ts',
  'src/api/tensorzero/tensorzero.test.ts',
  'src/api/graders/graders.test.ts',
  'src/api/hang-up.test.ts',
  'src/api/images/images.test.ts',
  'src/api/inference/*.test.ts',
  'src/api/lineage/*.test.ts',
  'src/api/isolation.test.ts',
  'src/api/models/*.test.ts',
  'src/api/openai-evals/openai-evals.test.ts',
  'src/api/projects/list.test.ts',
  'src/api/service/*.test.ts',
  'src/api/training-jobs/at-tinker.test.ts',
  'src/api/training-jobs/pauses.test.ts',
  'src/api/uploaded-files/uploaded-files.test.ts',
];

/** Tests that run a second time, with all stores on servers. */
const onServers = [
  'src/store/clickhouse/calls/find/expansion.test.ts',
  'src/store/clickhouse/calls/find/query.test.ts',
  'src/store/clickhouse/calls/find/query-values.test.ts',
  'src/store/clickhouse/calls/find/read-calls.test.ts',
  'src/store/clickhouse/calls/sql/filter-sql.test.ts',
  'src/store/clickhouse/group-commit.test.ts',
  'src/identity/identity.test.ts',
  'src/identity/sessions.test.ts',
  'e2e/python/objects.test.ts',
  'e2e/js/js.test.ts',
];

export default defineConfig({
  test: {
    // chDB must be loaded by the main thread of a process (decisions/0002), so tests never run in worker threads.
    pool: 'forks',
    maxConcurrency: 10, // tests that run at the same time wait for something
    // Each process would compile PostgreSQL's WebAssembly again for speed that short tests do not need.
    execArgv: ['--liftoff-only'],
    // Node loads the sources, as it does outside of tests, and keeps compiled code: Vite would transform and compile a
    // thousand modules again in each process.
    server: { deps: { external: [/./] } },
    runner: './testing/caching-runner.ts',
    sequence: { sequencer: SlowFirst },
    // By default Vitest leaves one core free: on a machine with two, it would run one file at a time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Starting a process, and loading and optimizing code again, takes longer than most files do.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'src/!(api)/**/*.test.ts',
            'src/*.test.ts',
            'web/src/**/*.test.ts',
            'bench/**/*.test.ts',
            ...withOwnServer,
          ],
          exclude: alone,
          setupFiles: ['src/api/testing/property-seed.ts'],
          globalSetup: ['src/api/testing/store-template.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'api',
          include: ['src/api/**/*.test.ts'],
          exclude: [...alone, ...withOwnServer],
          setupFiles: ['src/api/testing/property-seed.ts'],
          globalSetup: ['src/api/testing/store-template.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          isolate: true,
          setupFiles: ['src/api/testing/property-seed.ts'],
          globalSetup: ['src/api/testing/store-template.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/vllm/**'],
          testTimeout: 180_000,
          expect: { poll: { timeout: 15_000 } }, // pages may be slow on a busy machine
          globalSetup: ['src/api/testing/store-template.ts', 'e2e/web/build-page.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: onServers,
          testTimeout: 180_000,
          setupFiles: ['src/api/testing/property-seed.ts', 'testing/use-servers.ts'],
          globalSetup: ['src/api/testing/store-template.ts', 'testing/start-servers.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'vllm',
          include: ['e2e/vllm/**/*.test.ts'],
          // One file at a time, after all others: vLLM ends if it computes prompt logprobs beside other requests (docs/vllm.md).
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 600_000, // until the server has started on a busy machine
          expect: { poll: { timeout: 15_000 } },
          globalSetup: ['e2e/vllm/start-vllm.ts'],
        },
      },
    ],
  },
});
