import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type * as contract from '../../contract/service/doctor.ts';
import type { Handler } from '../../http/bind.ts';
import { withinScope } from '../../util/request-scope.ts';
import { requireOwner } from '../require-owner.ts';

export function doctor({ config, examine }: Context): Handler<typeof contract.doctor> {
  let underWay: ReturnType<typeof examine> | null = null;
  return async ({ caller, raw }) => {
    requireOwner(caller);
    // An examination reads much: requests at the same time share one, which no single one of them cancels.
    underWay ??= withinScope({ signal: null, group: 'doctor' }, () =>
      examine(config.publicUrl || ownAddress(raw)),
    ).finally(() => {
      underWay = null;
    });
    const { findings, settings } = await underWay;
    return { findings: findings.map((each) => ({ advice: null, ...each })), settings };
  };
}

/** The address at which this request arrived. Its `Host` is what the client says. */
function ownAddress({ socket: { localAddress = '127.0.0.1', localPort } }: FastifyRequest): string {
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
