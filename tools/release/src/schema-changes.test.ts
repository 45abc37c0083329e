import { expect, it } from 'vitest';
import { parseRevisions, parseSchemaChanges } from './schema-changes.ts';

const revision = {
  after: ['a'],
  file: 'nova/versions/b.py',
  contract: false,
  changes: [['destructive', 'drops a column', 12]],
};

it('reads the file of an image: additive revisions keep neither file nor changes', () => {
  const text = JSON.stringify({
    format: 1,
    revisions: { b: revision, c: { ...revision, contract: true, changes: [] } },
  });
  const parsed = parseSchemaChanges(text);
  expect(parsed).toEqual({
    b: {
      after: ['a'],
      file: 'nova/versions/b.py',
      changes: [{ class: 'destructive', text: 'drops a column', line: 12 }],
    },
    c: { after: ['a'], contract: true },
  });
  expect(parseRevisions(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed);
});

it.each<[unknown, string]>([
  [{ format: 2 }, 'its format is not 1'],
  [{ format: 1 }, 'the revisions are not an object'],
  [{ format: 1, revisions: { b: 'x' } }, 'revision b is invalid'],
  [{ format: 1, revisions: { b: {} } }, '"changes" is not a list'],
  [{ format: 1, revisions: { b: { ...revision, after: [1] } } }, 'revision b is invalid'],
  [{ format: 1, revisions: { b: { ...revision, file: 1 } } }, 'revision b is invalid'],
  [{ format: 1, revisions: { b: { ...revision, changes: ['x'] } } }, 'revision b is invalid'],
  [
    { format: 1, revisions: { b: { ...revision, changes: [['x', 'y', 1]] } } },
    'revision b is invalid',
  ],
])('refuses %j', (document, message) => {
  expect(() => parseSchemaChanges(JSON.stringify(document))).toThrow(new TypeError(message));
});

it.each([
  [{ b: { file: 'x' } }],
  [{ b: { after: 'a' } }],
  [{ b: { changes: [] } }],
  [{ b: { unknown: 1 } }],
  [[]],
])('refuses the revisions %j of an image set', (revisions) => {
  expect(() => parseRevisions(revisions)).toThrow(TypeError);
});
