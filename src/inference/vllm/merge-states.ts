import type { CircuitState } from './servers/circuit.ts';
import type { VllmServerState } from './servers/vllm-servers.ts';

/**
 * The servers as several processes find them, each with circuits of its own. A server is in the worst state of them; of those that
 * agree, the one counts that has found it so for longest.
 * @param own what the checks of this process find @param others each a list of the same servers
 */
export function mergeStates(
  own: readonly VllmServerState[],
  others: readonly (readonly VllmServerState[])[],
): VllmServerState[] {
  return own.map((state) => {
    const { address } = state;
    return [state, ...others.flatMap((each) => each.filter((other) => other.address === address))].reduce(merge);
  });
}

function merge(a: VllmServerState, b: VllmServerState): VllmServerState {
  const { circuit, reason, since } = isWorse(b, a) ? b : a;
  return {
    ...a,
    ...{ circuit, reason, since },
    inFlight: a.inFlight + b.inFlight,
    adapters: [...new Set([...a.adapters, ...b.adapters])],
  };
}

function isWorse(a: VllmServerState, b: VllmServerState): boolean {
  return severity[a.circuit] === severity[b.circuit] ? a.since < b.since : severity[a.circuit] > severity[b.circuit];
}

const severity: Record<CircuitState, number> = { closed: 0, halfOpen: 1, open: 2 };
