import { networkInterfaces } from 'node:os';
import { type Config, ConfigError, environmentName } from '../config.ts';
import type { OfferingProcess } from '../domain/process-offer.ts';
import type { MemoryBudget } from '../engine/memory/memory-budget.ts';
import type { Inference } from '../inference/inference.ts';
import type { ModelReader } from '../inference/model-reader.ts';
import type { OwnInference } from '../inference/own/own-inference.ts';
import { protocol } from '../inference/peers/messages.ts';
import { openPeerClient } from '../inference/peers/peer-client.ts';
import { openPeerInference } from '../inference/peers/peer-inference.ts';
import { openPeerModelReader } from '../inference/peers/peer-model-reader.ts';
import { openPeerServer, type PeerServer } from '../inference/peers/peer-server.ts';
import { openTextCopies } from '../inference/peers/text-copies.ts';
import { peerKey } from '../inference/peers/tls.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { Disk } from '../store/disk/disk.ts';
import type { Models } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { SecretKey } from '../store/secret-key.ts';
import { keepOffer } from './keep-offer.ts';
import type { Opened } from './opened.ts';

type Parts = {
  config: Config;
  peers: Peers;
  secretKey: SecretKey;
  models: Models;
  memory: MemoryBudget;
  own: OwnInference;
  reader: ModelReader;
  directory: Pick<DataDirectory, 'texts'>;
  disk: Pick<Disk, 'requireRoom'>;
  draining: AbortSignal;
  /** The ids of the models that are served. */
  served(): Promise<Set<string>>;
  onForwarded(id: string): void;
};

/** Models at this process and at the others that share its stores. */
export type PeerModels = {
  inference: Inference;
  modelReader: ModelReader;
  /** Resolves when no request of another process is under way here. */
  ended(): Promise<void>;
};

/** Lets processes serve each other's requests to models. A process that is alone opens no port. */
export async function openModelPeers(parts: Parts, opened: Opened): Promise<PeerModels> {
  const { config, peers, models, own, reader, draining, served, onForwarded } = parts;
  if (peers.isAlone) return { inference: own, modelReader: reader, ended: async () => {} };
  const psk = peerKey(parts.secretKey.read());
  const host = peerHost(config);
  const client = opened.add(openPeerClient(psk));
  const server = opened.add(
    await listening(config, host, () =>
      openPeerServer({
        ...{ host, port: config.peerPort, psk, id: peers.id, own, reader, draining },
        requestBytesMax: 4 * Math.max(config.bodyMaxBytes, config.queryMaxBytes), // in memory, text has two bytes for a character
        onOverflow: (overflow) => kept.addOverflow(overflow),
      }),
    ),
  );
  const kept = opened.add(await keepOffer({ ...parts, address: { protocol, host, port: server.port } }));
  const copies = openTextCopies({ folder: parts.directory.texts, client, requireRoom: parts.disk.requireRoom });
  peers.on('models', () => {
    served().then(copies.keepOnly, () => {}); // the next notice, or the next start, deletes them
  });
  const others = () => peers.offers().filter(({ offer }) => offer.protocol === protocol);
  return {
    inference: openPeerInference({
      ...{ own, client, others, onForwarded },
      thisProcess: (): OfferingProcess => ({ id: peers.id, offer: kept.current() }),
      onOverflow: kept.addOverflow,
    }),
    modelReader: openPeerModelReader({ own: reader, client, copies, others, hasFiles: models.hasFiles }),
    ended: server.ended,
  };
}

async function listening(config: Config, host: string, open: () => Promise<PeerServer>): Promise<PeerServer> {
  try {
    return await open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `heddle cannot listen on ${host}, port ${config.peerPort}, for the other processes (${code}). Set ${environmentName('peerHost')} to an ` +
        `address of this machine that they reach, and ${environmentName('peerPort')} to a free port.`,
    );
  }
}

/** Without a setting, where clients connect; if that is everywhere, the first address that other machines reach. */
function peerHost({ peerHost, host }: Config): string {
  if (peerHost !== '') return peerHost;
  if (host !== '0.0.0.0' && host !== '::') return host;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outer = addresses.filter(({ internal, address }) => !internal && !address.startsWith('fe80'));
  return (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address ?? '127.0.0.1';
}
