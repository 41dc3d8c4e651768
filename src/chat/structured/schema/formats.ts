import type { Language } from './language.ts';
import { patternLanguage } from './pattern.ts';

/** The strings of a format, or null if it is not known. Each is at most what validators accept, without their oddities. */
export function formatLanguage(name: string): Language | null {
  const pattern = patterns[name];
  return pattern === undefined ? null : patternLanguage(pattern, { unanchored: 'whole' });
}

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
  uri,
  'uri-reference': `(${uri}|/(${pathCharacter}+${path})?${tail}|[a-zA-Z0-9\\-._~]+${path}${tail})`,
  'uri-template': `([a-zA-Z0-9\\-._~:/?&=#]|\\{[a-zA-Z0-9_]{1,40}(,[a-zA-Z0-9_]{1,40})*\\})*`,
  'json-pointer': pointer,
  'relative-json-pointer': `(0|[1-9][0-9]{0,8})(#|${pointer})`,
  // Annotations for people and programs, which every string satisfies.
  password: '[^]*',
};

/** The whole numbers of OpenAPI's formats; `null` for formats that say only how numbers are stored. */
export const numberFormats: Record<string, { min: number; max: number } | null | undefined> = {
  int32: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  int64: { min: -(2 ** 63), max: 2 ** 63 - 1024 },
  float: null,
  double: null,
};
