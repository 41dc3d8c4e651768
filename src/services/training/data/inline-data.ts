import { invalidField } from '../../../util/failures.ts';
import type { DataResolver } from './resolve-data.ts';

/** Lines in the request itself, as a `data:` URL, for clients that cannot store a file. */
export const inlineData: DataResolver = async (address) => {
  if (!address.startsWith('data:')) return null;
  const [, head, body] = /^data:([^,]*),(.*)$/s.exec(address) ?? [];
  if (head === undefined || body === undefined) throw invalid('Input should be a data: URL with a comma');
  return once(head.endsWith(';base64') ? Buffer.from(body, 'base64') : Buffer.from(decoded(body)));
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('Input should be a data: URL with percent-encoded text');
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function invalid(message: string) {
  return invalidField('training_data_url', message);
}
