export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/**
 * One JSON value kept as minified text, so that it is returned exactly as sent, including digits, key order and
 * escapes. There is no `toJSON`: a value that reaches `JSON.stringify` by mistake should look wrong, not subtly
 * changed.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get kind(): JsonKind {
    switch (this.text[0]) {
      case '{':
        return 'object';
      case '[':
        return 'array';
      case '"':
        return 'string';
      case 't':
      case 'f':
        return 'boolean';
      case 'n':
        return 'null';
      default:
        return 'number';
    }
  }
}
