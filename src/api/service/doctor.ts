import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type * as contract from '../../contract/service/doctor.ts';
import type { Handler } from '../../http/bind.ts';
import { withinScope } from '../../util/request-scope.ts';
import { requireOwner } from '../require-owner.ts';
import { toWire } from './shown-stores.ts';

export function doctor({ config, examine }: Context): Handler<typeof contract.doctor> {
  /** An examination reads much: requests at the same time share one, which no single one of them cancels. */
  let underWay: ReturnType<typeof examine> | null = null;

  function begin(address: string): ReturnType<typeof examine> {
    const signal = AbortSignal.timeout(answerMsMax);
    return withinScope({ signal, group: 'doctor' }, () => examine(address, { readingMsMax, signal }));
  }

  return async ({ caller, raw }) => {
    requireOwner(caller);
    underWay ??= begin(config.publicUrl || ownAddress(raw)).finally(() => {
      underWay = null;
    });
    const { findings, stores, vllmServers, settings } = await underWay;
    return {
      findings: findings.map((each) => ({ advice: null, ...each })),
      stores: stores.map((each) => toWire(each, caller)),
      vllm_servers: vllmServers.map(vllmServerToWire),
      settings,
    };
  };
}

type Examined = Awaited<ReturnType<Context['examine']>>;

function vllmServerToWire({ since, inFlight, loadsAdapters, ...same }: Examined['vllmServers'][number]) {
  return { ...same, since: new Date(since).toISOString(), in_flight: inFlight, loads_adapters: loadsAdapters };
}

/** Clients and proxies give up when an answer takes long. */
const answerMsMax = 6_000;
const readingMsMax = 3_000;

/** The address at which this request arrived. Its `Host` is what the client says. */
function ownAddress({ socket: { localAddress = '127.0.0.1', localPort } }: FastifyRequest): string {
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
