import pg from 'pg';
import { explain, explainCollision, isCollision, isLost, unavailable } from './errors.ts';

/** Connections to the server. Their errors are those that users of the store get. */
export type ServerPool = {
  connect(): Promise<pg.PoolClient>;
  options: object;
  end(): Promise<void>;
};

export type PoolLimits = {
  /** Why nothing may be written at the moment; null if it may. */
  writeProblem?: () => string | null;
  connectionsMax: number;
  /** After this time a connection is given up: its server, or the network, is silent. */
  answerMsMax: number;
};

/**
 * Opens connections when they are needed. While the server is away, one attempt after the other is made, at growing
 * intervals; what comes in between fails at once.
 */
export function openPool(
  options: pg.ClientConfig,
  { connectionsMax, answerMsMax, writeProblem = () => null }: PoolLimits,
): ServerPool {
  const pool = new pg.Pool({ ...options, max: connectionsMax, query_timeout: answerMsMax });
  const backoff = openBackoff();
  pool.on('error', () => {}); // an idle connection was closed; the next user gets another one
  pool.on('connect', (client) => {
    client.on('error', () => {}); // its query fails, too
    guard(client, writeProblem);
  });
  return {
    async connect() {
      if (pool.idleCount === 0) backoff.check();
      try {
        const client = await pool.connect();
        backoff.succeed();
        return client;
      } catch (error) {
        if (isLost(error)) backoff.fail(error);
        throw explain(error);
      }
    },
    options: pool.options,
    end: () => pool.end(),
  };
}

const collisionsMax = 5;

/**
 * Refuses writes while they may not be, and explains errors. A statement on its own is run again after a deadlock; a transaction
 * is run again as a whole, by `RetryingKysely`.
 */
function guard(client: pg.PoolClient, writeProblem: () => string | null): void {
  const send = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
  async function query(...given: unknown[]): Promise<unknown> {
    const problem = writeProblem();
    if (problem !== null && !harmless.test(String(given[0])))
      throw unavailable(`PostgreSQL cannot be written to: ${problem}`);
    const isAlone = client.getTransactionStatus() === 'I' && !/^\s*begin\b/i.test(String(given[0]));
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(...given);
      } catch (error) {
        if (/^Query read timeout/.test((error as Error).message)) abandon(client);
        if (!isAlone || !isCollision(error)) throw explain(error);
        if (attempt === collisionsMax) throw explainCollision(error);
      }
    }
  }
  client.query = query as typeof client.query;
}

/** What is not a write. */
const harmless = /^\s*(select|commit|rollback)\b/i;

/** The answer may still arrive: nobody else may use this connection. */
function abandon(client: pg.PoolClient): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

const firstMs = 100;
const longestMs = 5000;

function openBackoff() {
  let failures = 0;
  let dueAt = 0;
  let last: unknown = null;
  return {
    check(): void {
      if (performance.now() < dueAt) throw explain(last);
    },
    fail(error: unknown): void {
      if (performance.now() < dueAt) return; // failed together with another one
      last = error;
      const waitMs = Math.min(longestMs, firstMs * 2 ** failures++);
      dueAt = performance.now() + waitMs * (0.5 + Math.random() / 2);
    },
    succeed(): void {
      failures = 0;
      dueAt = 0;
    },
  };
}
