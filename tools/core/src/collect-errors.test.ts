import { expect, it } from 'vitest';
import { collectErrors } from './collect-errors.ts';
import { CcpError, CcpErrors, throwFindings } from './errors.ts';

const fault = (message: string): CcpError => new CcpError({ code: 'fault', message });
const raise = (thrown: Error) => (): never => {
  throw thrown;
};
function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

it('returns the results of all works', () => {
  expect(collectErrors([() => 1, () => 'two'])).toEqual([1, 'two']);
});

it('throws the findings of all works together', () => {
  const two = () => throwFindings([fault('two'), fault('three')]);
  const thrown = thrownBy(() =>
    collectErrors([raise(fault('one')), () => collectErrors([two]), () => 4]),
  );
  expect((thrown as CcpErrors).findings.map(({ message }) => message)).toEqual([
    'one',
    'two',
    'three',
  ]);
});

it('throws other errors immediately', () => {
  expect(
    thrownBy(() => collectErrors([raise(fault('one')), raise(new TypeError('broken'))])),
  ).toBeInstanceOf(TypeError);
});
