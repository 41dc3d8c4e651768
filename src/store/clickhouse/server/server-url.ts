/** A ClickHouse server, or the replicas of a shard, and a database there. */
export type ServerAddress = {
  /** Of each replica, such as `https://clickhouse.example.com:8443`. */
  origins: [string, ...string[]];
  /** The cluster on which tables are created; null for a single server, and if the database replicates them itself. */
  cluster: string | null;
  user: string;
  password: string;
  database: string;
  /** A file with the certificates of authorities; null for those that Node knows. */
  rootCertificate: string | null;
};

/** One of the servers of an address. */
export type HostAddress = Omit<ServerAddress, 'origins' | 'cluster'> & { origin: string };

const expected = 'an address such as https://user:password@host:8443/database';
const parameters = ['ca', 'cluster'];
const ports = { 'http:': '8123', 'https:': '8443' };
const hostsMax = 16;

/** Reads a URL. @throws Error whose message completes "must be …"; it never quotes the URL, which may have a password */
export function parseServerUrl(text: string): ServerAddress {
  const [, protocol = '', authority = '', rest = ''] = /^(https?:)\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  if (protocol === '') throw new Error(expected);
  const at = authority.lastIndexOf('@');
  const [first = '', ...others] = authority.slice(at + 1).split(',');
  const url = URL.parse(`${protocol}//${authority.slice(0, at + 1)}${first}${rest}`);
  if (!url) throw new Error(`${expected}; write special characters of the password as %40, %2F, …`);
  checkParameters(url);
  const user = decode(url.username, 'user');
  const database = decode(url.pathname.slice(1), 'database');
  if (!user) throw new Error(`${expected} (found no user)`);
  if (!/^[A-Za-z_]\w{0,99}$/.test(database)) {
    throw new Error(`${expected} (found no database whose name has only letters, digits and _)`);
  }
  const rootCertificate = url.searchParams.get('ca') || null;
  if (rootCertificate !== null && url.protocol === 'http:') {
    throw new Error('an address that begins with https: where it has ?ca=');
  }
  return {
    origins: originsOf(url, others),
    cluster: clusterOf(url),
    user,
    password: decode(url.password, 'password'),
    database,
    rootCertificate,
  };
}

export function hostsOf({ origins, cluster, ...rest }: ServerAddress): [HostAddress, ...HostAddress[]] {
  const [first, ...others] = origins.map((origin) => ({ ...rest, origin }));
  return [first!, ...others];
}

/** For messages: without the user and the password. */
export function describeServer({ origins, database }: Pick<ServerAddress, 'origins' | 'database'>): string {
  const [first, ...others] = origins;
  return `${[first, ...others.map((origin) => new URL(origin).host)].join(',')}/${database}`;
}

function originsOf(first: URL, others: string[]): ServerAddress['origins'] {
  const found = others.map((host) => {
    const url = URL.parse(`${first.protocol}//${host}/`);
    if (!url || host === '' || host.includes('@')) {
      throw new Error('an address with hosts such as a:8443,b:8443,c:8443 between @ and /');
    }
    return originOf(url);
  });
  const origins: ServerAddress['origins'] = [originOf(first), ...found];
  if (new Set(origins).size < origins.length) throw new Error('an address that names each host once');
  if (origins.length > hostsMax) throw new Error(`an address with at most ${hostsMax} hosts`);
  return origins;
}

function originOf(url: URL): string {
  return `${url.protocol}//${url.hostname}:${url.port || ports[url.protocol as keyof typeof ports]}`;
}

function clusterOf(url: URL): string | null {
  const cluster = url.searchParams.get('cluster');
  if (cluster === null) return null;
  if (!/^[\w.-]{1,100}$/.test(cluster)) {
    throw new Error('an address whose ?cluster= is the name of a cluster, with only letters, digits, _, . and -');
  }
  return cluster;
}

function checkParameters(url: URL): void {
  for (const name of url.searchParams.keys()) {
    if (!parameters.includes(name)) {
      throw new Error(`an address with parameters among ${parameters.join(', ')} (found ${name.slice(0, 40)})`);
    }
  }
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`an address whose ${part} writes % as %25`);
  }
}
