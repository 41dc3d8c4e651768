import { Canceled } from '../../../util/failures.ts';
import type { Read, Ticket } from './reads.ts';

/** @param hangUp called when the client no longer waits, unless the read has settled */
export function makeTicket(
  read: Read<unknown>,
  resolve: (value: unknown) => void,
  reject: (error: unknown) => void,
  hangUp: (ticket: Ticket) => void,
): Ticket {
  const onAbort = () => hangUp(ticket);
  const settle = <Result>(how: (result: Result) => void) => {
    return (result: Result) => {
      ticket.isSettled = true;
      read.signal?.removeEventListener('abort', onAbort);
      how(result);
    };
  };
  const ticket: Ticket = {
    ...{ read, isSettled: false, timer: undefined, stop: null },
    resolve: settle(resolve),
    reject: settle(reject),
  };
  read.signal?.addEventListener('abort', onAbort, { once: true });
  return ticket;
}

/** No client sees it; the status is the one that proxies log for this case. */
export function hungUp(): Canceled {
  return new Canceled('The client hung up before it had its answer');
}
