import { anyText, type Language } from './language.ts';
import { patternLanguage } from './pattern.ts';

/**
 * The strings of a format, or null if it is unknown. Never more than what validators accept, without their oddities.
 */
export function formatLanguage(name: string): Language | null {
  if (annotations.has(name)) return anyText;
  const pattern = patterns[name];
  return pattern === undefined ? null : patternLanguage(pattern, { unanchored: 'whole' });
}

/** For people and programs only: every string satisfies them. */
const annotations = new Set(['password', 'binary', 'path', 'file-path', 'directory-path']);

const date = (() => {
  const leapYear = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
  const long = '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])';
  const short = '(0[469]|11)-(0[1-9]|[12][0-9]|30)';
  return `([0-9]{4}-(${long}|${short}|02-(0[1-9]|1[0-9]|2[0-8]))|${leapYear}-02-29)`;
})();
const time = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+\\-]([01][0-9]|2[0-3]):[0-5][0-9])';
const duration = (() => {
  const n = '[0-9]{1,9}';
  const time = `T(${n}H(${n}M(${n}S)?)?|${n}M(${n}S)?|${n}S)`;
  const days = `(${n}Y(${n}M(${n}D)?)?|${n}M(${n}D)?|${n}D)`;
  return `P(${n}W|${days}(${time})?|${time})`;
})();
const ipv4 = (() => {
  const byte = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
  return `${byte}(\\.${byte}){3}`;
})();
const ipv6 = (() => {
  const group = '[0-9a-fA-F]{1,4}';
  const upTo = (groups: number) => (groups === 0 ? '' : `(${group}(:${group}){0,${groups - 1}})?`);
  const shortened = [0, 1, 2, 3, 4, 5, 6].map((left) => {
    const before = left === 0 ? ':' : `(${group}:){${left}}`;
    return `${before}:${upTo(7 - left)}`;
  });
  return `(${group}(:${group}){7}|${shortened.join('|')})`;
})();
/** At most 245 characters: hosts may have 253. */
const hostname = (() => {
  const label = '[a-zA-Z0-9]([a-zA-Z0-9\\-]{0,38}[a-zA-Z0-9])?';
  return `${label}(\\.${label}){0,5}`;
})();
const email = (() => {
  const word = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\\-]{1,64}";
  const label = '[a-zA-Z0-9]([a-zA-Z0-9\\-]{0,38}[a-zA-Z0-9])?';
  return `${word}(\\.${word})*@${label}(\\.${label}){0,3}\\.[a-zA-Z]{2,24}`;
})();
const percent = '%[0-9a-fA-F]{2}';
const pathCharacter = `([a-zA-Z0-9\\-._~!$&'()*+,;=:@]|${percent})`;
const tail = `(\\?(${pathCharacter}|[/?])*)?(#(${pathCharacter}|[/?])*)?`;
const path = `(/${pathCharacter}*)*`;
const uri = `[a-zA-Z][a-zA-Z0-9+\\-.]*://${hostname}(:[0-9]{1,5})?${path}${tail}`;
/** Web addresses have a domain that ends in letters. */
const url = (() => {
  const label = '[a-zA-Z0-9]{1,40}(-[a-zA-Z0-9]{1,20}){0,1}';
  return `(https?|ftp)://${label}(\\.${label}){0,3}\\.[a-zA-Z]{2,24}(:[0-9]{2,5})?(/(${pathCharacter}|/)*${tail})?`;
})();
const base64 = (characters: string) => `([${characters}]{4})*([${characters}]{2}==|[${characters}]{3}=)?`;
const uuid = (version: string) =>
  `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`;
const uriReference = `(${uri}|/(${pathCharacter}+${path})?${tail}|[a-zA-Z0-9\\-._~]+${path}${tail})`;
const pointer = '(/([^~/]|~[01])*)*';

const patterns: Record<string, string | undefined> = {
  date,
  time,
  'date-time': `${date}T${time}`,
  duration,
  ipv4,
  ipv6,
  hostname,
  email,
  uuid: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  ...Object.fromEntries(['1', '3', '4', '5', '6', '7', '8'].map((version) => [`uuid${version}`, uuid(version)])),
  uri,
  url,
  'uri-reference': uriReference,
  // Domains in other alphabets are written in ASCII.
  iri: uri,
  'iri-reference': uriReference,
  'idn-email': email,
  'idn-hostname': hostname,
  ipvanyaddress: `(${ipv4}|${ipv6})`,
  byte: base64('A-Za-z0-9+/'),
  base64: base64('A-Za-z0-9+/'),
  base64url: base64('A-Za-z0-9_\\-'),
  'uri-template': `([a-zA-Z0-9\\-._~:/?&=#]|\\{[a-zA-Z0-9_]{1,40}(,[a-zA-Z0-9_]{1,40})*\\})*`,
  'json-pointer': pointer,
  'relative-json-pointer': `(0|[1-9][0-9]{0,8})(#|${pointer})`,
};

/** The integers in the formats of OpenAPI and of Rust; `null` for formats that describe only how numbers are stored. */
export const numberFormats: Record<string, { min: number; max: number } | null | undefined> = {
  int8: { min: -(2 ** 7), max: 2 ** 7 - 1 },
  int16: { min: -(2 ** 15), max: 2 ** 15 - 1 },
  int32: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  int64: { min: -(2 ** 63), max: 2 ** 63 - 1024 },
  uint8: { min: 0, max: 2 ** 8 - 1 },
  uint16: { min: 0, max: 2 ** 16 - 1 },
  uint32: { min: 0, max: 2 ** 32 - 1 },
  uint64: { min: 0, max: 2 ** 64 - 2048 },
  uint: { min: 0, max: 2 ** 64 - 2048 },
  float: null,
  double: null,
};
