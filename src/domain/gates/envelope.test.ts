import { createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { publicKeyOf, sealed, signingKey, textSignedBy } from './envelope.ts';

/** RFC 8032, section 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const publicBytes = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

test('makes the key of RFC 8032 from its seed', () => {
  const der = createPublicKey(publicKeyOf(signingKey(seed)).pem).export({ type: 'spki', format: 'der' });
  expect(der.subarray(-32).toString('hex')).toBe(publicBytes);
});

test('returns the text to who has the key, and null after any change', () => {
  const key = signingKey(seed);
  const publicKey = createPublicKey(publicKeyOf(key).pem);
  const envelope = sealed('application/test+json', '{"a":"ü"}', key);
  expect(textSignedBy(publicKey, envelope)).toBe('{"a":"ü"}');
  const other = Buffer.from('{"a":"u"}').toString('base64');
  expect(textSignedBy(publicKey, { ...envelope, payload: other })).toBeNull();
  expect(textSignedBy(publicKey, { ...envelope, payloadType: 'application/other+json' })).toBeNull();
  expect(textSignedBy(createPublicKey(publicKeyOf(signingKey(Buffer.alloc(32, 1))).pem), envelope)).toBeNull();
});
