/** From this size on, texts would hold up every other request: another thread works on them. */
const largeCharactersMin = 256 * 1024;

/** Whether these texts together are large. */
export function isLarge(...texts: (string | null | undefined)[]): boolean {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) >= largeCharactersMin;
}
