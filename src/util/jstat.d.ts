/** The part of jStat that heddle uses; it has no types of its own. */
declare module 'jstat' {
  const jStat: {
    studentt: { inv(p: number, degreesOfFreedom: number): number };
    normal: {
      inv(p: number, mean: number, deviation: number): number;
      cdf(x: number, mean: number, deviation: number): number;
    };
  };
  export default jStat;
}
