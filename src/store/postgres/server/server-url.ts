import { isIP } from 'node:net';

/** A PostgreSQL server, as a URL of libpq names it. */
export type ServerAddress = {
  /** A name, an IP address, or the directory of a socket. */
  host: string;
  port: number;
  user: string;
  password: string | undefined;
  database: string;
  tls: Tls;
  connectTimeoutMs: number;
  /** The schema of heddle's tables; those of jobs are in `<schema>_jobs`. */
  schema: string;
};

type Tls = {
  mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** Files; `system` for the certificates of the system. */
  rootCertificate: string | null;
  certificate: string | null;
  key: string | null;
};

const schemaDefault = 'heddle';
const connectSecondsDefault = 10;

const parameters = [
  'connect_timeout',
  'host',
  'schema',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'user',
] as const;
type Parameters = Partial<Record<(typeof parameters)[number], string>>;

/** Reads a URL. @throws Error whose message completes "must be …"; it never quotes the URL, which may have a password */
export function parseServerUrl(text: string): ServerAddress {
  const url = URL.parse(text);
  if (!/^postgres(ql)?:\/\//i.test(text)) throw new Error(expected);
  if (!url) throw new Error(`${expected}, with one host; write special characters of the password as %40, %2F, …`);
  const given = readParameters(url);
  const host = decode(url.hostname, 'host').replace(/^\[(.*)\]$/, '$1');
  if (host && given.host) throw new Error('an address with one host (found one before the path and one as ?host=)');
  if (url.username && given.user)
    throw new Error('an address with one user (found one before the @ and one as ?user=)');
  const user = decode(url.username, 'user') || given.user;
  const database = decode(url.pathname.slice(1), 'database');
  if (!(host || given.host)) throw new Error(`${expected} (found no host)`);
  if (!user) throw new Error(`${expected} (found no user)`);
  if (!database) throw new Error(`${expected} (found no database)`);
  return {
    host: host || given.host!,
    port: Number(url.port || 5432),
    user,
    password: url.password === '' ? undefined : decode(url.password, 'password'),
    database,
    tls: readTls(given),
    connectTimeoutMs: 1000 * readSeconds(given.connect_timeout),
    schema: readSchema(given.schema),
  };
}

/** What two URLs of one database contradict each other in; null if they do not. A pooler may have other names for it. */
export function serverUrlsFault(pooled: string, direct: string): string | null {
  const { schema } = parseServerUrl(pooled);
  const other = URL.parse(direct)!.searchParams.get('schema');
  return other === null || other === schema ? null : `must name the same schema as HEDDLE_POSTGRES_URL: ${schema}`;
}

/** For messages: without the user and the password. */
export function describeServer({ host, port, database }: ServerAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}/${database}`;
}

const expected = 'an address such as postgres://user:password@host:5432/database?sslmode=verify-full';

function readParameters(url: URL): Parameters {
  const names = [...url.searchParams.keys()];
  for (const name of names) {
    if (name === 'search_path' || name === 'options')
      throw new Error(`an address without ${name}: heddle names its schema in each statement (?schema=heddle)`);
    if (!parameters.some((each) => each === name))
      throw new Error(`an address with parameters among ${parameters.join(', ')} (found ${name.slice(0, 40)})`);
    if (names.filter((each) => each === name).length > 1) throw new Error(`an address with ${name} given once`);
  }
  return Object.fromEntries(url.searchParams);
}

function readTls({ host, sslmode, sslrootcert, sslcert, sslkey }: Parameters): Tls {
  const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
  const mode = modes.find((each) => each === (sslmode ?? (sslrootcert ? 'verify-full' : host ? 'disable' : 'prefer')));
  if (mode === undefined) throw new Error(`an address with an sslmode of ${modes.join(', ')}`);
  if (mode === 'disable' && (sslrootcert || sslcert || sslkey))
    throw new Error(
      'an address without certificates where sslmode is disable: write sslmode=verify-full, or leave them out',
    );
  if (!sslcert !== !sslkey) throw new Error('an address with both sslcert and sslkey, or neither');
  // As in libpq, a root certificate is compared with what the server shows.
  const checked = mode === 'require' && sslrootcert ? 'verify-ca' : mode;
  return { mode: checked, rootCertificate: sslrootcert || null, certificate: sslcert || null, key: sslkey || null };
}

function readSeconds(text = String(connectSecondsDefault)): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error('an address with a connect_timeout from 1 to 999 seconds');
  return Number(text);
}

function readSchema(text = schemaDefault): string {
  if (!/^[a-z][a-z0-9_]{0,49}$/.test(text) || text.startsWith('pg_') || text === 'information_schema') {
    throw new Error('an address with a schema of at most 50 lower-case letters, digits and _, such as ?schema=heddle');
  }
  return text;
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`an address whose ${part} writes % as %25`);
  }
}
