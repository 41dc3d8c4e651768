import { afterAll, inject } from 'vitest';

/** The stores of a file's tests are on the servers that `start-servers.ts` started, and the next file's are its own affair. */
const before = { ...process.env };
Object.assign(process.env, inject('servers'));
afterAll(() => {
  process.env = before;
});
