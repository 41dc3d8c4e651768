import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';

type Shown = 'address' | 'circuit' | 'reason' | 'models' | 'version' | 'inFlight' | 'adapters' | 'loadsAdapters';

/** A vLLM server as `heddle top`, `heddle doctor` and the web page show it. */
export type VllmServerLine = Pick<VllmServerState, Shown> & {
  /** When the circuit changed last, in milliseconds since 1970. */
  since: number;
  /** Requests of all clients at the last check. Null while the circuit is open. */
  running: number | null;
  waiting: number | null;
};

export function vllmServerLines(states: VllmServerState[]): VllmServerLine[] {
  return states.map(({ answering, loadsAdapters, since, running, waiting, ...state }) => ({
    ...state,
    since: since.getTime(),
    loadsAdapters: answering.kind === 'several' ? false : loadsAdapters,
    ...(state.circuit === 'open' ? { running: null, waiting: null } : { running, waiting }),
  }));
}
