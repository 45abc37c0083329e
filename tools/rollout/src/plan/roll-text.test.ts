import { expect, it } from 'vitest';
import { rollText } from './plan-text.ts';

it.each([
  [{ pods: 0 }, 'has no pods to replace; new pods use the changed template'],
  [{ pods: 1 }, 'replaces its 1 pod'],
  [{ pods: 3 }, 'replaces its 3 pods, one after the other'],
  [{ pods: 3, together: true as const }, 'replaces its 3 pods, all at once'],
])('%j', (roll, text) => {
  expect(rollText({ key: 'StatefulSet/base', why: [], ...roll })).toBe(text);
});
