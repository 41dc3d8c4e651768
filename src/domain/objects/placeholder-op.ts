/** The op of calls without code, such as spans: the same value under every name. */
export const placeholderOp = {
  digest: 'XNI9iHYwcffKfuDa2rGjQoIxUOw7cnWmLEiNufRD8RY',
  /** The value as stored and hashed. */
  text: '{"_type": "CustomWeaveType", "files": {"obj.py": "RZUe6YW6bibaEmKo0QXy3XAt0yd6hMMo9hj9KXgaXrY"}, "weave_type": {"type": "Op"}}',
  file: {
    name: 'obj.py',
    digest: 'RZUe6YW6bibaEmKo0QXy3XAt0yd6hMMo9hj9KXgaXrY',
    bytes: Buffer.from('def func(*args, **kwargs):\n    ... # Code-capture unavailable for this op\n'),
  },
};
