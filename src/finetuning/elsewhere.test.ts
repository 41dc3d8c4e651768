import { expect, test } from 'vitest';
import type { OfferingProcess } from '../domain/process-offer.ts';
import { openElsewhere } from './elsewhere.ts';

const base = { id: 'm', name: 'model' };

function open(given: { isHere: boolean; files: string[][]; isAlone?: boolean; missingMsMax?: number }) {
  const offers = given.files.map(
    (files, index): OfferingProcess => ({
      id: `process ${index}`,
      offer: { protocol: '1', host: '', port: 1, open: [], withoutRoom: [], overflow: [], files },
    }),
  );
  const { isHere, isAlone = false, missingMsMax = 600_000 } = given;
  const isElsewhere = openElsewhere({
    models: { hasFiles: async () => isHere },
    peers: { isAlone, offers: () => offers },
    missingMsMax,
  });
  return () => isElsewhere('job', base);
}

test('a job runs where the files of its base model are', async () => {
  expect(await open({ isHere: true, files: [['m']] })()).toBe(false);
  expect(await open({ isHere: false, files: [[], ['x', 'm']] })()).toBe(true);
});

test('a job whose base model no process has waits for a while, and then runs and says so', async () => {
  expect(await open({ isHere: false, files: [['x']] })()).toBe(true);
  const isElsewhere = open({ isHere: false, files: [['x']], missingMsMax: 30 });
  expect(await isElsewhere()).toBe(true);
  await expect.poll(isElsewhere).toBe(false);
});

test('a process that is alone leaves no job to others', async () => {
  expect(await open({ isHere: false, files: [], isAlone: true })()).toBe(false);
});
