import { setTimeout as pause } from 'node:timers/promises';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { Layout } from '../layout.ts';
import { StoreError } from '../store-error.ts';
import { ClickHouseServerError } from './errors.ts';
import { type Host, openHost } from './host.ts';
import { anotherServer, nameOfHost } from './identity.ts';
import type { HostAddress } from './server-url.ts';

/** The way of statements to the server that is used at the moment. */
export type Route = {
  /** @throws StoreError as of a lost connection, if there is no such server or it changes meanwhile */
  run<Answer>(work: (host: Host) => Promise<Answer>): Promise<Answer>;
  /** What keeps statements from being sent; null if nothing does. */
  problem(): string | null;
  close(): Promise<void>;
};

export type HostOptions = { address: HostAddress; limits: ReadLimits; layout: Layout };

const answerMsMax = 10_000;
const pauseMs = 500;

/** One server, or ClickHouse Cloud. Another server may take its place, but not several. */
export function openSingleHost({ address, limits, layout }: HostOptions): Route {
  let host = openHost(address, limits, layout);
  let problem: string | null = null;
  let examining: Promise<void> | null = null;

  async function examine(): Promise<void> {
    try {
      await nameOfHost(address, answerMsMax);
      await host.close();
      host = openHost(address, limits, layout);
      problem = null;
    } catch (error) {
      problem = error instanceof ClickHouseServerError ? error.message : 'it does not answer';
      await pause(pauseMs);
    }
  }

  const examineOnce = () => {
    examining ??= examine().finally(() => {
      examining = null;
    });
    return examining;
  };

  return {
    async run(work) {
      if (problem !== null) await examineOnce();
      if (problem !== null) throw new StoreError('a statement', null, problem);
      try {
        return await work(host);
      } catch (error) {
        if (error instanceof StoreError && error.codeName === anotherServer) await examineOnce();
        throw error;
      }
    },
    problem: () => problem,
    close: () => host.close(),
  };
}
