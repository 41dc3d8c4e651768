/** How many characters at the end of a text could be the start of one of the markers. */
export function startedMarkerLength(text: string, markers: readonly string[]): number {
  const longest = Math.max(0, ...markers.map((marker) => marker.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (markers.some((marker) => marker.startsWith(end))) return length;
  }
  return 0;
}

/** The first marker in a text; of several at one position, the longest. */
export function findMarker(text: string, markers: readonly string[]): { at: number; marker: string } | null {
  let found: { at: number; marker: string } | null = null;
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at === -1) continue;
    if (!found || at < found.at || (at === found.at && marker.length > found.marker.length)) found = { at, marker };
  }
  return found;
}
