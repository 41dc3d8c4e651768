import { afterAll, inject } from 'vitest';

/** Puts the stores of a file's tests on the servers that `start-servers.ts` started. The next file shares the process. */
const before = { ...process.env };
Object.assign(process.env, inject('servers'));
afterAll(() => {
  process.env = before;
});
