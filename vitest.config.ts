import { defineConfig } from 'vitest/config';

// Test processes inherit it. Vitest uses libuv's thread pool before the store could ask for a larger one (chdb/session.ts).
process.env.UV_THREADPOOL_SIZE ??= '48';

export default defineConfig({
  test: {
    // chDB must be loaded by the main thread of a process (decisions/0002), so tests never run in worker threads.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          setupFiles: ['src/api/testing/property-seed.ts'],
          globalSetup: ['src/api/testing/store-template.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['e2e/**/*.test.ts'], testTimeout: 180_000 },
      },
    ],
  },
});
