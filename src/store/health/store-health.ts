/** Whether the stores answer. */
export type StoreHealth = {
  /** What is wrong with each store that does not answer, as far as the last look knows; empty when all is well. */
  problems(): string[];
  /** Asks the stores now, and waits for their answers up to a time. */
  ask(timeoutMs: number): Promise<string[]>;
  close(): void;
};

/** A question to each store, by the store's name. The cheaper, the better: it is asked every two seconds. */
export type Probes = Record<string, () => Promise<unknown>>;

type Options = {
  /** Called once when a store stops answering (with why) and once when it answers again (with null). */
  onChange(store: string, problem: string | null): void;
  /** Called when a store has not answered for `deadMs`. */
  onDead?(store: string, problem: string): void;
  tickMs?: number;
};

const tickMsDefault = 1000;
const ticksBetweenProbes = 2;
/** A busy store answers late; one that is silent for so many ticks counts as broken. */
const ticksSilentMax = 15;
/** One failure may be that of the moment. */
const failuresMax = 2;
const ticksDead = 60;

/**
 * Asks the stores all the time, so that telling how they are takes no time. Waiting is counted in ticks of a timer, not by
 * the clock: a process that was stopped or busy for a while has not heard its answers yet.
 */
export function openStoreHealth(probes: Probes, { onChange, onDead, tickMs = tickMsDefault }: Options): StoreHealth {
  const states = Object.entries(probes).map(([store, probe]) => openState(store, probe));

  function tick(): void {
    for (const state of states) {
      const before = state.problem;
      state.tick();
      if ((before === null) !== (state.problem === null)) onChange(state.store, state.problem);
      if (state.ticksBroken === ticksDead) onDead?.(state.store, state.problem!);
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
    problem: null as string | null,
    ticksBroken: 0,
    tick() {
      if (isAsking) ticksSilent++;
      else if (++ticksIdle >= ticksBetweenProbes) void ask();
      if (ticksSilent >= ticksSilentMax) state.problem = `${store} does not answer`;
      else if (failures >= failuresMax) state.problem = `${store} fails: ${failure}`;
      else if (failures === 0 && !(isAsking && state.problem)) state.problem = null;
      state.ticksBroken = state.problem === null ? 0 : state.ticksBroken + 1;
    },
  };
  return state;
}

async function answerWithin(store: string, probe: () => Promise<unknown>, timeoutMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${store} does not answer within ${timeoutMs} ms`), timeoutMs);
  });
  const answered = probe().then(
    () => null,
    (error: unknown) => `${store} fails: ${firstLine(error)}`,
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Stores may quote statements in further lines. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]!.slice(0, 200);
}
