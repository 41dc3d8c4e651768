/** The cosine of the angle between two vectors of one length. */
export function cosine(a: number[], b: number[]): number {
  const dot = (x: number[], y: number[]) => x.reduce((sum, each, i) => sum + each * y[i]!, 0);
  const norms = Math.sqrt(dot(a, a) * dot(b, b));
  return norms === 0 ? 0 : dot(a, b) / norms;
}
