import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A balancer of connections. */
export async function startRoundRobin(ports: number[]): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer((socket) => {
    const behind = connect(ports[next++ % ports.length]!, '127.0.0.1');
    for (const each of [socket, behind]) {
      sockets.add(each);
      each.on('error', () => {});
      each.on('close', () => {
        sockets.delete(each);
        socket.destroy();
        behind.destroy();
      });
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
