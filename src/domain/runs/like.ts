/** Whether a whole text matches a pattern of SQL's `LIKE`: `%` is any text, `_` any character, `\` takes the next as it is. */
export function isLike(text: string, pattern: string): boolean {
  const characters = [...text];
  const tokens = [...pattern.matchAll(/\\(.)|(%)|(_)|(.)/gsu)].map(([, escaped, any, one, plain]) =>
    any ? 'any' : one ? 'one' : { is: escaped ?? plain! },
  );
  let [place, token, lastAny, resume] = [0, 0, -1, 0];
  while (place < characters.length) {
    const next = tokens[token];
    if (next === 'any') {
      lastAny = token++;
      resume = place;
    } else if (next === 'one' || (next && next.is === characters[place])) {
      token++;
      place++;
    } else if (lastAny >= 0) {
      token = lastAny + 1;
      place = ++resume;
    } else return false;
  }
  return tokens.slice(token).every((each) => each === 'any');
}
