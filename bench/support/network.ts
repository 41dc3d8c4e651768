import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The network between heddle and a server, which can fail. */
export type Network = {
  /** The address of the server, by way of this network. */
  through(url: string): string;
  /** Nothing arrives in either direction, and no connection is refused, as between two halves of a network. */
  partition(): void;
  /** What was on its way arrives. */
  heal(): void;
  /** Cuts each connection in the middle of the next answer, until this is called with `false`. */
  cutAnswers(isCutting: boolean): void;
  close(): void;
};

export async function openNetwork(server: string): Promise<Network> {
  const { hostname, port } = new URL(server);
  const pairs = new Set<[Socket, Socket]>();
  let isDown = false;
  let isCutting = false;

  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as typeof pair]) {
      from.on('data', (piece) => {
        const isCut = isCutting && from === far;
        if (!to.write(isCut ? piece.subarray(0, piece.length / 2) : piece)) from.pause();
        if (isCut) to.destroySoon();
      });
      to.on('drain', () => isDown || from.resume());
      from.on('end', () => to.end());
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (isDown) from.pause();
    }
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const own = (listener.address() as AddressInfo).port;

  return {
    through: (url) => url.replaceAll(`${hostname}:${port}`, `127.0.0.1:${own}`),
    partition() {
      isDown = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    heal() {
      isDown = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    cutAnswers(value) {
      isCutting = value;
    },
    close() {
      listener.close();
      for (const socket of [...pairs].flat()) socket.destroy();
    },
  };
}
