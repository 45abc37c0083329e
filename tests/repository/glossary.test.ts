import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readPage } from './doc-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The words that code, YAML, messages and documentation share. */
const WORDS = [
  'image definition',
  'series',
  'lock',
  'input',
  'fingerprint',
  'version',
  'content key',
  'plan',
  'outcome',
  'aliased',
  'blocked',
  'cancelled',
  'store',
  'image set',
  'release',
  'promote',
  'app spec',
  'site',
  'role',
  'phase',
  'wave',
  'ledger',
  'bundle',
  'sealed',
  'built',
  'reused',
  'failed',
  'placement',
  'statement',
  'gate',
  'claim',
  'finding',
  'publisher',
  'unlocked',
  'foundation',
  'hermetic',
  'normalised',
  'digest',
  'early cutoff',
  'drift',
  'overlay',
  'revision',
];

it('defines every shared word, in alphabetical order', () => {
  const defined = [...readPage(root, 'docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*:/gm)].map(
    ([, word]) => (word as string).toLowerCase(),
  );
  expect(WORDS.filter((word) => !defined.includes(word))).toEqual([]);
  expect(defined).toEqual([...defined].sort());
});
