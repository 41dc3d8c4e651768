/** A constraint that cannot be used. The message is the reason, to follow "cannot be used: ". */
export class ConstraintRefused extends Error {
  override name = 'ConstraintRefused';
}

/** A constraint that failed while tokens were generated under it. */
export class ConstraintFailed extends Error {
  override name = 'ConstraintFailed';
}

/** The constraints of a request allow no token, and its output may not end either. */
export class NoTokenLeft extends Error {
  override name = 'NoTokenLeft';

  constructor() {
    super('No token is left to choose: the constraints contradict each other.');
  }
}
