import { omitUndefined } from '#core';
import type { Task } from '@nx/devkit';
import { expect, it } from 'vitest';
import { groupTasks } from './group-tasks.ts';

const task = (project: string, configuration?: string): Task => ({
  id: [project, 'build', configuration].filter(Boolean).join(':'),
  target: { project, target: 'build', ...omitUndefined({ configuration }) },
  overrides: {},
  outputs: [],
  parallelism: true,
  cache: false,
});
const outline = (groups: ReturnType<typeof groupTasks>) =>
  groups.map(({ options, tasks }) => [options, tasks.map(({ target }) => target.project)]);

it('groups tasks with equal options', () => {
  const tasks = [
    task('a'),
    task('b', '2025.2'),
    task('c'),
    task('d', '2025.2'),
    task('e', '2025.2'),
  ];
  const inputs = {
    'b:build:2025.2': { series: 2025.2 },
    'c:build': {},
    'd:build:2025.2': { series: '2025.2', other: true },
    'e:build:2025.2': { series: '2025.2', jobs: 1, retest: true },
  };
  expect(outline(groupTasks(tasks, inputs))).toEqual([
    [{}, ['a', 'c']],
    [{ series: '2025.2' }, ['b', 'd']],
    [{ series: '2025.2', jobs: 1, retest: true }, ['e']],
  ]);
  expect(groupTasks([], {})).toEqual([]);
});
