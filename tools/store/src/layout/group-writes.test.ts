import { expect, it } from 'vitest';
import { groupWrites } from './group-writes.ts';

it('writes edits that arrive during a write as one group, in order', async () => {
  const groups: number[][] = [];
  let running = 0;
  const add = groupWrites<number>(async (edits) => {
    expect((running += 1)).toBe(1);
    groups.push([...edits]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
  });
  const first = add(1);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await Promise.all([first, add(2), add(3), first.then(() => add(4))]);
  expect(groups).toEqual([[1], [2, 3], [4]]);
});

it('writes later groups after one fails', async () => {
  let failing = true;
  const written: string[] = [];
  const add = groupWrites<string>(async (edits) => {
    await Promise.resolve();
    if (failing) throw new Error('full');
    written.push(...edits);
  });
  const lost = [add('a'), add('b')];
  for (const each of lost) await expect(each).rejects.toThrow('full');
  failing = false;
  await add('c');
  expect(written).toEqual(['c']);
});
