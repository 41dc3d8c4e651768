/** The part of jStat that is used; it comes without types. */
declare module 'jstat' {
  const jStat: {
    studentt: { inv(p: number, degreesOfFreedom: number): number };
    normal: { inv(p: number, mean: number, deviation: number): number };
  };
  export default jStat;
}
