import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../util/json/lossless.ts';
import { classesOf, kindOf } from './classes.ts';

describe('the classes of a value', () => {
  test.each([
    [
      'have the first known base as base class [objects 36]',
      '{"_bases":["Model","Object","BaseModel"],"_class_name":"Bar"}',
      { base: 'Model', leaf: 'Bar' },
    ],
    [
      'have a known base after another one as base class [objects 37]',
      '{"_bases":["Foo","Model","Object","BaseModel"],"_class_name":"Bar"}',
      { base: 'Model', leaf: 'Bar' },
    ],
    [
      'are the same for a direct subclass of Object [objects 38]',
      '{"_bases":["Object","BaseModel"],"_class_name":"Foo"}',
      { base: 'Foo', leaf: 'Foo' },
    ],
    [
      'are the same for a direct subclass of BaseObject',
      '{"_bases":["BaseObject","BaseModel"],"_class_name":"Foo"}',
      { base: 'Foo', leaf: 'Foo' },
    ],
    [
      'are missing for a value that is not an Object [objects 39]',
      '{"_bases":["BaseModel"],"_class_name":"Foo"}',
      null,
    ],
    ['are missing with other bases', '{"_bases":["Thing","BaseModel"],"_class_name":"Foo"}', null],
    ['are missing without bases', '{"_class_name":"Foo"}', null],
    ['are missing for a list', '["_bases"]', null],
  ])('%s', (_, text, classes) => expect(classesOf(parseLossless(text))).toEqual(classes));

  test('a typed value without its class name is refused', () => {
    expect(() => classesOf(parseLossless('{"_bases":["Object","BaseModel"]}'))).toThrow('_class_name');
  });
});

describe('the kind of a value', () => {
  test.each([
    ['{"_type":"CustomWeaveType","weave_type":{"type":"Op"}}', 'op'],
    ['{"_type":"Op"}', 'op'],
    ['{"_type":"Op","weave_type":{"type":"PIL.Image.Image"}}', 'object'],
    ['{"weave_type":{"type":"Op"}}', 'object'],
    ['{"_type":"CustomWeaveType","weave_type":"Op"}', 'object'],
    ['{"a":1}', 'object'],
    ['null', 'object'],
  ])('%s', (text, kind) => expect(kindOf(parseLossless(text))).toBe(kind));
});
