import { newId } from '../contract/ids.ts';
import type { Caller } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';
import { deleteBlobs } from '../services/training/delete-blobs.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { endTinkerRun, lostTinkerRuns, seeTinkerRuns } from '../store/postgres/tinker/runs.ts';
import { failJob } from '../store/postgres/training/jobs.ts';
import { busy, Failure, notFound } from '../util/failures.ts';
import type { ModelRun } from './model-run.ts';
import { type Sampler, Session } from './session.ts';

type SessionDeps = { postgres: Postgres; blobs: Blobs; onDefect(error: unknown): void };

export type SessionLimits = {
  sessionsMax: number;
  /** How long a client may send nothing. */
  silentSeconds: number;
};

/** A run that no process has seen for so long has lost its process. */
const lostSeconds = 600;
const sweepMsMax = 30_000;

/** The sessions of clients at this process. Those whose clients are gone are ended, and so are runs that have lost their process. */
export class OpenSessions {
  readonly #deps: SessionDeps;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #sweeping: Promise<void> | null = null;

  constructor(deps: SessionDeps, limits: SessionLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  /**
   * Begins to end what is left behind.
   * @param alsoSweep further work, now and then
   */
  start(alsoSweep: () => Promise<void>): void {
    const sweepMs = Math.min(sweepMsMax, (this.#limits.silentSeconds * 1000) / 2);
    this.#timer = setInterval(() => void this.#sweepOnce(alsoSweep), sweepMs).unref();
  }

  create({ caller, project }: Owner, given: Pick<Session, 'displayName' | 'userMetadata'>): Session {
    if (this.#isClosed) throw new Failure('unavailable', 'The server is stopping.');
    const { sessionsMax } = this.#limits;
    if (this.#sessions.size >= sessionsMax) {
      throw busy(`${sessionsMax} sessions are open (HEDDLE_TINKER_SESSIONS_MAX). Close one, or wait until one ends.`);
    }
    const session = new Session({ id: newId(), caller, project, ...given });
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The sessions of a user that are open, the newest first. */
  ofUser({ userId }: Caller): Session[] {
    return [...this.#sessions.values()].filter((session) => session.caller.userId === userId).reverse();
  }

  /** @throws Failure for a session of another user, and for one that is not open here */
  find({ userId }: Caller, id: string): Session {
    const session = this.#sessions.get(id);
    if (session?.caller.userId !== userId) throw notFound(`There is no open session ${id}.`);
    session.seenAt = performance.now();
    return session;
  }

  /** The session that an id of a model or a sampler begins with. */
  of(caller: Caller, id: string): Session {
    return this.find(caller, id.split(':', 1)[0]!);
  }

  /** A model in training. @throws Failure for one of another user, and for one that is not in training here */
  run(caller: Caller, id: string): ModelRun {
    const run = this.of(caller, id).runs.get(id);
    if (!run) throw notFound(`There is no model ${id} in training.`);
    return run;
  }

  /** @throws Failure for one of another user, and for one of a session that is not open here */
  sampler(caller: Caller, id: string): { sampler: Sampler; session: Session } {
    const session = this.of(caller, id);
    const sampler = session.samplers.get(id);
    if (!sampler) throw notFound(`There is no sampler ${id}.`);
    return { session, sampler };
  }

  runs(): ModelRun[] {
    return [...this.#sessions.values()].flatMap(({ runs }) => [...runs.values()]);
  }

  /** Ends a session with its models, whose last states are saved. */
  async end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    const ends = await Promise.allSettled([...session.runs.values()].map((run) => run.end()));
    for (const end of ends) if (end.status === 'rejected') this.#deps.onDefect(end.reason);
    for (const prefix of session.temporary) await deleteBlobs(this.#deps.blobs, prefix);
  }

  /** Ends all sessions. The last states of their models are saved. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#sweeping;
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)));
  }

  #sweepOnce(alsoSweep: () => Promise<void>): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .then(alsoSweep)
      .catch(this.#deps.onDefect)
      .finally(() => {
        this.#sweeping = null;
      });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { postgres } = this.#deps;
    const silentSince = performance.now() - this.#limits.silentSeconds * 1000;
    for (const session of this.#sessions.values()) if (session.seenAt < silentSince) await this.end(session);
    await seeTinkerRuns(
      postgres,
      this.runs().map(({ spec, lastRequestAt }) => ({ id: spec.id, lastRequestAt })),
    );
    for (const { id, jobId } of await lostTinkerRuns(postgres, lostSeconds)) {
      if (jobId !== null) await failJob(postgres, jobId, 'The process that trained the model ended.');
      await endTinkerRun(postgres, id);
    }
  }
}
