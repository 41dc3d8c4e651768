/** @throws Error whose message completes "must be …"; it never quotes credentials */
export function checkTinkerUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || url.host === '') throw new Error('an address such as https://host:8000');
  if (url.username !== '' || url.password !== '') {
    throw new Error('an address without credentials: the key belongs in HEDDLE_TINKER_API_KEY');
  }
  if (url.search !== '') throw new Error('an address without parameters, such as https://host:8000');
}
