/** A client sends a heartbeat every 30 seconds. A run without one for this long has crashed. */
const silenceMsMax = 5 * 60_000;

/** The state of a run: as reported, or `crashed` if its client has stopped reporting. */
export function stateOf(run: { state: string; heartbeatAt: Date }, now = Date.now()): string {
  const isSilent = now - run.heartbeatAt.getTime() > silenceMsMax;
  return run.state === 'running' && isSilent ? 'crashed' : run.state;
}
