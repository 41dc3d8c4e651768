import { Failure } from '../../../util/failures.ts';
import type { StoreError } from '../store-error.ts';

/** The server cannot be used: the message says what was found and what to do. */
export class ClickHouseServerError extends Error {}

/**
 * Whether the same statement may succeed when it is sent again: the connection is lost, or the server is busy, starting or
 * without its coordination service. An error without a code of ClickHouse comes from the network or a proxy.
 */
export function isTransient({ code }: StoreError): boolean {
  return code === null || transient.has(code);
}

/** What users of the store get after the last attempt. */
export function explain(error: StoreError): Error {
  if (error.code === 243)
    return new Failure('noSpace', 'The disk of the ClickHouse server is full.', {}, { cause: error });
  if (!isTransient(error) && !refusals.has(error.code!)) return error;
  return new Failure('unavailable', 'ClickHouse does not respond. Try again in a moment.', {}, { cause: error });
}

const transient = new Set([
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  225, // NO_ZOOKEEPER
  242, // TABLE_IS_READ_ONLY
  252, // TOO_MANY_PARTS
  279, // ALL_CONNECTION_TRIES_FAILED
  285, // TOO_FEW_LIVE_REPLICAS
  286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  289, // REPLICA_IS_NOT_IN_QUORUM
  319, // UNKNOWN_STATUS_OF_INSERT
  517, // CANNOT_ASSIGN_ALTER
  999, // KEEPER_EXCEPTION
]);

/** Until somebody changes a setting, all statements fail with these. */
const refusals = new Set([
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
]);
