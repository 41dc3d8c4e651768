import { expect, test } from 'vitest';
import { isPublicUrl } from './public-url.ts';

test.each([
  'https://api.example.com/v1',
  'http://api.example.com',
  'https://api.example.com:8443/v1',
  'https://8.8.8.8/v1',
  'https://[2606:4700::1111]/',
])('%s may be called', (url) => expect(isPublicUrl(url)).toBe(true));

test.each([
  'http://127.0.0.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://localhost:8000/v1',
  'http://api.localhost/',
  'http://intranet/',
  'http://metadata.google.internal/',
  'http://10.1.2.3/',
  'http://172.20.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest',
  'http://0.0.0.0/',
  'http://[::1]/',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://[::ffff:127.0.0.1]/',
  'ftp://api.example.com/',
  'https://api.example.com/v1?',
  'https://api.example.com/v1?key=1',
  'https://api.example.com/#a',
  'https:/api.example.com',
  'api.example.com',
  '',
])('%j may not', (url) => expect(isPublicUrl(url)).toBe(false));
