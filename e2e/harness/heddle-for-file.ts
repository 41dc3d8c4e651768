import { afterAll, beforeAll, inject } from 'vitest';
import { copyStoreTemplate } from '../../src/api/testing/store-template.ts';
import { type Heddle, startHeddle } from './heddle.ts';

/** One server for the tests of a file; each test takes a fresh project of it. @param settings variables of its environment */
export function heddleForFile(settings: () => Promise<Record<string, string>> = async () => ({})): {
  readonly server: Heddle;
} {
  let server: Heddle;
  beforeAll(async () => {
    server = await startHeddle(testDataDirectory(), await settings());
  });
  afterAll(() => server?.close());
  return {
    get server() {
      return server;
    },
  };
}

/** A data directory with empty stores, which a server opens sooner than it makes new ones. */
export function testDataDirectory(): string {
  return copyStoreTemplate(inject('storeTemplate'));
}
