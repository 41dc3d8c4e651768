import { connect } from 'node:net';
import { until } from './waiting.ts';

/** A connection on which a request can be sent before the last one is answered, which `fetch` does not do. */
export type Connection = {
  /** Posts JSON. @returns the status; null without an answer */
  send(path: string, body: object, timeoutMs: number): Promise<number | null>;
  close(): void;
};

export function openConnection(url: string, key: string): Connection {
  const { hostname, port, host } = new URL(url);
  let received = '';
  let sent = 0;
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8').on('data', (text) => (received += text));
  socket.on('error', () => {}); // the process was killed
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return {
    async send(path, body, timeoutMs) {
      const index = sent++;
      const text = JSON.stringify(body);
      const headers = [
        `POST ${path} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(text)}`,
      ];
      socket.write(`${headers.join('\r\n')}\r\n\r\n${text}`);
      await until(timeoutMs / 1000, () => statuses().length > index || socket.closed);
      return statuses()[index] ?? null;
    },
    close: () => void socket.destroy(),
  };
}
