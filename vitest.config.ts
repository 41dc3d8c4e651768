import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'e2e/**/*.test.ts'],
    // chDB must be loaded by the main thread of a process (decisions/0002), so tests never run in worker threads.
    pool: 'forks',
    globalSetup: ['src/api/testing/store-template.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
