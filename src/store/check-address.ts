/** The setting for addresses of each scheme. */
const settingOf: Record<string, string> = {
  postgres: 'HEDDLE_POSTGRES_URL',
  postgresql: 'HEDDLE_POSTGRES_URL',
  http: 'HEDDLE_CLICKHOUSE_URL',
  https: 'HEDDLE_CLICKHOUSE_URL',
  s3: 'HEDDLE_BLOBS_URL',
};

/**
 * Finds mistakes that all addresses of stores can have. Their own parsers check the rest.
 * @param schemes those of this setting
 * @throws Error whose message completes "must be …"; it never quotes what may belong to a password
 */
export function checkAddress(text: string, schemes: readonly string[]): void {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z0-9]+):\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  const expected = `an address that begins with ${schemes.map((each) => `${each}://`).join(' or ')}`;
  if (!schemes.includes(scheme.toLowerCase())) throw new Error(`${expected}${ownerOf(scheme.toLowerCase())}`);
  if (scheme !== 's3' && !authority.includes('@') && rest.includes('@')) {
    throw new Error('an address whose user and password write / as %2F, ? as %3F, # as %23 and @ as %40');
  }
  if (rest.includes('#')) throw new Error('an address without #: write it as %23');
  checkParameters(new URLSearchParams(/\?.*$/s.exec(rest)?.[0]));
}

function ownerOf(scheme: string): string {
  if (scheme.startsWith('clickhouse') || scheme === 'tcp') return ': heddle uses the HTTP interface of ClickHouse';
  const setting = settingOf[scheme];
  return setting === undefined ? '' : ` (found ${scheme}://, which ${setting} takes)`;
}

function checkParameters(given: URLSearchParams): void {
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name);
    if (/^pass(word|wd)?$/i.test(name))
      throw new Error('an address whose password is before the host: user:password@host');
    if (values.length > 1) throw new Error(`an address with ${shown(name)} given once`);
    if (values[0] === '') throw new Error(`an address with a value for ${shown(name)}, or without it`);
  }
}

/** A password with an unescaped ? can continue as a parameter. */
function shown(name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? name : 'each parameter';
}
