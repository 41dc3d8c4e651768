import { afterAll, beforeAll } from 'vitest';
import { type Heddle, startHeddle } from './heddle.ts';

/** One server for the tests of a file; each test takes a fresh project of it. */
export function heddleForFile(): { readonly server: Heddle } {
  let server: Heddle;
  beforeAll(async () => {
    server = await startHeddle();
  });
  afterAll(() => server?.close());
  return {
    get server() {
      return server;
    },
  };
}
