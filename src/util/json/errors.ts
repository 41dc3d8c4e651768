/** The text is not JSON. `position` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.position = position;
  }
}

/** The text nests containers deeper than allowed. It may be valid JSON otherwise. */
export class JsonDepthError extends Error {
  readonly depthMax: number;

  constructor(depthMax: number) {
    super(`The JSON nests more than ${depthMax} objects and arrays inside each other. Send a flatter value.`);
    this.name = 'JsonDepthError';
    this.depthMax = depthMax;
  }
}

/** The text contains more values than allowed. It may be valid JSON otherwise. */
export class JsonSizeError extends Error {
  readonly valuesMax: number;

  constructor(valuesMax: number) {
    super(`The JSON holds more than ${valuesMax} values. Send it in several pieces.`);
    this.name = 'JsonSizeError';
    this.valuesMax = valuesMax;
  }
}
