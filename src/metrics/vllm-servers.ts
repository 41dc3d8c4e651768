import { Gauge, type Registry } from 'prom-client';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';

const circuits = ['closed', 'halfOpen', 'open'] as const satisfies VllmServerState['circuit'][];

/** One series for each address that is set, or three. */
export function vllmServerMetrics(registry: Registry): (servers: VllmServerState[]) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name: `heddle_vllm_server_${name}`, help, labelNames, registers: [registry] });
  const up = gauge('up', '1 while the vLLM server gets requests: its circuit is closed or half open', ['address']);
  const circuit = gauge('circuit', '1 for the current state of the circuit (closed, halfOpen or open), otherwise 0', [
    ...(['address', 'state'] as const),
  ]);
  const since = gauge('circuit_since_timestamp_seconds', 'When the state of the circuit changed last, as Unix time', [
    'address',
  ]);
  const running = gauge('requests_running', 'Requests of all clients that the vLLM server runs, at its last check', [
    'address',
  ]);
  const waiting = gauge('requests_waiting', 'Requests of all clients that wait at the vLLM server, at its last check', [
    'address',
  ]);
  const info = gauge('info', '1; its labels name the address and the version of the vLLM server', [
    ...(['address', 'version'] as const),
  ]);
  return (servers) => {
    for (const each of [info, running, waiting]) each.reset(); // what is unknown now has no number
    for (const server of servers) {
      const { address, version } = server;
      up.set({ address }, Number(server.circuit !== 'open'));
      for (const state of circuits) circuit.set({ address, state }, Number(state === server.circuit));
      since.set({ address }, server.since.getTime() / 1000);
      if (version !== null) info.set({ address, version }, 1);
      if (server.circuit === 'open') continue;
      running.set({ address }, server.running);
      waiting.set({ address }, server.waiting);
    }
  };
}
