import { lookup as lookupAddresses } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPrivateAddress } from '../domain/objects/public-url.ts';
import { Failure } from '../util/failures.ts';
import { defaultPort, privateHosts } from './private-hosts.ts';

type Options = {
  /** The setting: private hosts to which connections may be opened. */
  privateHosts: string;
  timeoutMs: number;
  resolve?: typeof lookupAddresses;
};

/**
 * Opens connections to public addresses, and to private ones of hosts that are named. It checks the very addresses that
 * the connection uses, so a name cannot resolve to others in between, and redirects are checked like any address.
 */
export function guardedConnector({ privateHosts: setting, timeoutMs, resolve = lookupAddresses }: Options) {
  const isNamed = privateHosts(setting);
  const open = buildConnector({ timeout: timeoutMs });
  const openPublic = buildConnector({ timeout: timeoutMs, lookup: publicLookup(resolve) } as never);

  const connect: buildConnector.connector = (options, done) => {
    const host = options.hostname.toLowerCase();
    const port = options.port || defaultPort(options.protocol);
    if (isNamed(host, port)) return open(options, done);
    if (isIP(host) !== 0 && isPrivateAddress(host)) return done(refusal(host), null);
    return openPublic(options, done);
  };
  return connect;
}

/** Fails if a name has any private address. */
function publicLookup(resolve: typeof lookupAddresses): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      if (addresses.some(({ address }) => isPrivateAddress(address))) return done(refusal(hostname), '', 0);
      if (options.all) return done(null, addresses);
      done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

function refusal(host: string): Failure {
  return new Failure(
    'forbidden',
    `${host} is a private address. To allow requests to it, list it in HEDDLE_PROVIDER_HOSTS.`,
  );
}
