import { withinMs } from '../util/within-ms.ts';

/** Whether the stores respond. */
export type StoreHealth = {
  /** The problem of each store that does not respond, as of the last check; empty if all stores respond. */
  problems(): StoreProblem[];
  /** Checks the stores now, and waits for their answers for a limited time. */
  ask(timeoutMs: number): Promise<StoreProblem[]>;
  close(): void;
};

export type StoreProblem = {
  store: string;
  /** Such as `PostgreSQL fails`. */
  summary: string;
  /** The same with what the store or the connection said, which may name hosts: for the log and the operator. */
  detail: string;
};

/** A check of each store, by the store's name. Keep it cheap: it runs every two seconds. */
export type Probes = Record<string, () => Promise<unknown>>;

type Options = {
  /** Called once when a store stops responding (with the reason) and once when it responds again (with null). */
  onChange(store: string, problem: string | null): void;
  /** Called when a store has not responded for `deadMs`. */
  onDead?(store: string, problem: string): void;
  tickMs?: number;
};

const tickMsDefault = 1000;
const ticksBetweenProbes = 2;
/** A busy store responds late; one that is silent for this many ticks counts as broken. */
const ticksSilentMax = 15;
/** A single failure may be temporary. */
const failuresMax = 2;
const ticksDead = 60;

/**
 * Checks the stores continuously, so that reporting their state takes no time. Waiting is counted in timer ticks, not
 * by the clock: a process that was stopped or busy for a while has not received its answers yet.
 */
export function openStoreHealth(probes: Probes, { onChange, onDead, tickMs = tickMsDefault }: Options): StoreHealth {
  const states = Object.entries(probes).map(([store, probe]) => openState(store, probe));

  function tick(): void {
    for (const state of states) {
      const before = state.problem;
      state.tick();
      const isChanged = (before === null) !== (state.problem === null);
      if (isChanged) onChange(state.store, state.problem?.detail ?? null);
      if (state.ticksBroken === ticksDead) onDead?.(state.store, state.problem!.detail);
    }
  }

  const problems = () => states.flatMap(({ problem }) => problem ?? []);
  const timer = setInterval(tick, tickMs).unref();
  return {
    problems,
    async ask(timeoutMs) {
      const asked = states.map(({ store, probe }) => answerWithin(store, probe, timeoutMs));
      return (await Promise.all(asked)).filter((problem) => problem !== null);
    },
    close: () => clearInterval(timer),
  };
}

function openState(store: string, probe: () => Promise<unknown>) {
  let isAsking = false;
  let ticksSilent = 0;
  let ticksIdle = ticksBetweenProbes;
  let failures = 0;
  let failure = '';

  async function ask(): Promise<void> {
    isAsking = true;
    ticksSilent = 0;
    try {
      await probe();
      failures = 0;
    } catch (error) {
      failures++;
      failure = firstLine(error);
    }
    isAsking = false;
    ticksSilent = 0;
    ticksIdle = 0;
  }

  const state = {
    store,
    probe,
    problem: null as StoreProblem | null,
    ticksBroken: 0,
    tick() {
      if (isAsking) ticksSilent++;
      else if (++ticksIdle >= ticksBetweenProbes) void ask();
      if (ticksSilent >= ticksSilentMax) state.problem = silent(store, 'does not answer');
      else if (failures >= failuresMax) state.problem = failing(store, failure);
      else if (failures === 0 && !(isAsking && state.problem)) state.problem = null;
      state.ticksBroken = state.problem === null ? 0 : state.ticksBroken + 1;
    },
  };
  return state;
}

async function answerWithin(
  store: string,
  probe: () => Promise<unknown>,
  timeoutMs: number,
): Promise<StoreProblem | null> {
  const answered = probe().then(
    () => null,
    (error: unknown) => failing(store, firstLine(error)),
  );
  return withinMs(timeoutMs, answered, () => silent(store, `does not answer within ${timeoutMs} ms`));
}

function silent(store: string, found: string): StoreProblem {
  return { store, summary: `${store} ${found}`, detail: `${store} ${found}` };
}

function failing(store: string, cause: string): StoreProblem {
  return { store, summary: `${store} fails`, detail: `${store} fails: ${cause}` };
}

/** Further lines of a store's message may quote statements. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]!.slice(0, 200);
}
