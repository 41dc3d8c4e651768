/** The reason why a string is not a valid artifact name; null if it is valid. */
export function collectionNameFault(name: string): string | null {
  return (
    fault('name of an artifact', name) ?? (name.includes(':') ? 'The name of an artifact must not contain ":".' : null)
  );
}

/** The reason why a string is not a valid alias; null if it is valid. */
export function aliasFault(alias: string): string | null {
  if (/^v\d+$/.test(alias)) return `The alias ${alias} has the form of a version number, which only the server gives.`;
  return fault('alias', alias) ?? (alias.includes(':') ? 'An alias must not contain ":".' : null);
}

const lengthMax = 128;

function fault(what: string, text: string): string | null {
  if (text === '') return `The ${what} must not be empty.`;
  if (text.length > lengthMax) return `The ${what} can have at most ${lengthMax} characters (found ${text.length}).`;
  if (/[/\p{Cc}]/u.test(text) || !text.isWellFormed()) {
    return `The ${what} must not contain "/" or control characters (found ${JSON.stringify(text)}).`;
  }
  return null;
}

/** `name:version` in parts; without a version it is the latest. */
export function splitArtifactName(text: string): { name: string; version: string } {
  const colon = text.indexOf(':');
  return colon === -1
    ? { name: text, version: 'latest' }
    : { name: text.slice(0, colon), version: text.slice(colon + 1) };
}
