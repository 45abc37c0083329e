import { expect, it } from 'vitest';
import { allTogether } from './all-together.ts';
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

it('gives what each work gives', () => {
  expect(allTogether([() => 1, () => 'two'])).toEqual([1, 'two']);
});

it('raises what all works find, and goes on after the first', () => {
  const two = () => throwFindings([fault('two'), fault('three')]);
  const thrown = thrownBy(() => allTogether([raise(fault('one')), () => allTogether([two]), () => 4]));
  expect((thrown as CcpErrors).findings.map(({ message }) => message)).toEqual(['one', 'two', 'three']);
});

it('raises at once what is no finding', () => {
  expect(thrownBy(() => allTogether([raise(fault('one')), raise(new TypeError('broken'))]))).toBeInstanceOf(TypeError);
});
