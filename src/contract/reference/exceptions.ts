/**
 * Where our schemas differ from the reference on purpose, each with its reason. `where` is the path the test prints;
 * what lies below it is covered too.
 */
export const exceptions: { endpoint: string; where: string; reason: string }[] = [];
