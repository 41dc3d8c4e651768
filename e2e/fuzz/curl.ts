import type { Request } from './request-arbitrary.ts';

const shownMax = 3000;

/** The request as a line for a shell in which `$URL` and `$KEY` are set. */
export function curl({ method, path, headers, body }: Request): string {
  const shownPath = path.length > 300 ? `${path.slice(0, 300)}…(${path.length})` : path;
  const words = ['curl', '-g', '--path-as-is', '-X', method, `"$URL"${quoted(shownPath)}`];
  for (const [name, value] of Object.entries({ authorization: 'Bearer $KEY', ...headers })) {
    words.push('-H', value === 'Bearer $KEY' ? `"${name}: ${value}"` : quoted(`${name}: ${value}`));
  }
  if (!body) return words.join(' ');
  const text = body.toString();
  const isText = Buffer.from(text).equals(body) && !/[\p{Cc}\p{Cf}]/u.test(text.replaceAll('\n', ''));
  if (isText && body.length <= shownMax) return `${words.join(' ')} --data-binary ${quoted(text)}`;
  if (body.length <= shownMax)
    return `echo ${body.toString('base64')} | base64 -d | ${words.join(' ')} --data-binary @-`;
  return `${words.join(' ')} --data-binary ${quoted(text.slice(0, 300))}… (${body.length} bytes)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
