/** A ClickHouse server and a database on it. */
export type ServerAddress = {
  /** Such as `https://clickhouse.example.com:8443`. */
  origin: string;
  user: string;
  password: string;
  database: string;
  /** A file with the certificates of authorities; null for those that Node knows. */
  rootCertificate: string | null;
};

const expected = 'an address such as https://user:password@host:8443/database';
const parameters = ['ca'];
const ports = { 'http:': '8123', 'https:': '8443' };

/** Reads a URL. @throws Error whose message completes "must be …"; it never quotes the URL, which may have a password */
export function parseServerUrl(text: string): ServerAddress {
  const [, protocol = '', authority = ''] = /^(https?:)\/\/([^/?#]*)/i.exec(text) ?? [];
  if (protocol === '') throw new Error(expected);
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) {
    throw new Error(`${expected}, with one host: replicas are not supported yet`);
  }
  const url = URL.parse(text);
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
    origin: `${url.protocol}//${url.hostname}:${url.port || ports[url.protocol as keyof typeof ports]}`,
    user,
    password: decode(url.password, 'password'),
    database,
    rootCertificate,
  };
}

/** For messages: without the user and the password. */
export function describeServer({ origin, database }: ServerAddress): string {
  return `${origin}/${database}`;
}

function checkParameters(url: URL): void {
  for (const name of url.searchParams.keys()) {
    if (name === 'cluster') throw new Error('an address without ?cluster=: clusters are not supported yet');
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
