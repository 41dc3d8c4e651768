import type { Config } from '../config.ts';
import { openTransport, type Transport } from '../providers/transport.ts';

/** A provider that fails is asked again after 0.5 s, 1 s, 2 s …, or when it says. */
export function openProviders(config: Config): Transport {
  return openTransport({
    privateHosts: config.providerHosts,
    timeoutMsMax: config.providerSecondsMax * 1000,
    bytesMax: config.providerMaxBytes,
    backoff: { attemptsMax: config.providerAttemptsMax, firstMs: 500, waitMsMax: 30_000 },
  });
}
