import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { authenticate } from '../../http/authenticate.ts';
import type { Caller } from '../../identity/identity.ts';
import { withinMs } from '../../util/within-ms.ts';

type Problems = ReturnType<Context['health']['problems']>;
type State = ReturnType<Context['storeStates']>[number];

/**
 * What a caller may see of the stores. Everybody sees which there are and whether they answer. Figures and versions are for
 * those with a key, addresses and what a store said are for the owner: they name hosts of the internal network.
 */
export function shownStores(
  { storeStates }: Pick<Context, 'storeStates'>,
  problems: Problems,
  caller: Caller | null,
): ReturnType<typeof toWire>[] {
  return storeStates(problems).map((state) => toWire(state, caller));
}

/** The same for the reasons why stores do not answer. */
export function shownProblems(problems: Problems, caller: Caller | null): string {
  return problems.map(({ summary, detail }) => (caller?.isOwner ? detail : summary)).join('; ');
}

/** For endpoints that need no key and must answer while the store of keys is away. */
export async function callerIfKnown(request: FastifyRequest, { identity }: Pick<Context, 'identity'>) {
  const found = authenticate(request, identity).catch(() => null);
  return withinMs(lookupMsMax, found, () => null);
}

const lookupMsMax = 500;

export function toWire(state: State, caller: Pick<Caller, 'isOwner'> | null) {
  const { name, kind, isUp, version, latencySeconds, freeBytes, usedBytes, address } = state;
  const figures = { version, latency_seconds: latencySeconds, free_bytes: freeBytes, used_bytes: usedBytes };
  return { name, kind, is_up: isUp, ...(caller && figures), ...(caller?.isOwner && { address }) };
}
