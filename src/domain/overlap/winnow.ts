/**
 * Chooses the least of each `window` successive hashes, the last one on ties (Schleimer, Wilkerson and Aiken, "Winnowing", 2003). Two texts
 * that share `window` successive hashes share a chosen one.
 */
export function winnow(hashes: Uint32Array, window: number): Uint32Array {
  const chosen: number[] = [];
  let last = -1;
  for (let start = 0; start === 0 ? hashes.length > 0 : start + window <= hashes.length; start++) {
    const end = Math.min(start + window, hashes.length);
    let least = start;
    for (let at = start + 1; at < end; at++) if (hashes[at]! <= hashes[least]!) least = at;
    if (least !== last) chosen.push(hashes[least]!);
    last = least;
  }
  return Uint32Array.from(chosen);
}
