import { describe, expect, it } from 'vitest';
import { CcpError, formatPosition } from '#core';
import type { DeployResult } from '#rollout';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import { blame } from '../../compose/deploy/proposed-site.ts';
import { resultJson } from '../../compose/deploy/run-apply.ts';
import { scaledText } from '../../compose/deploy/scaled-text.ts';
import { deployEventLines, deployReporter } from '../../report/deploy-progress.ts';
import { recordLines } from './history.ts';

describe('a revision that is running', () => {
  it.each([
    [undefined, '      its run was interrupted; the next apply continues it'],
    [
      { name: 'anna@desk (process 7)', renewedAt: '2026-01-01T00:00:00Z' },
      '      anna@desk (process 7) holds the lock of the site, renewed at 2026-01-01T00:00:00Z',
    ],
  ])('is listed with the lock holder: %j', (holder, line) => {
    const record = {
      format: 1,
      site: 's',
      revision: 2,
      state: 'running',
      content: '',
      startedAt: 'then',
      by: 'anna@desk',
      images: {},
    } as never;
    expect(recordLines(record, holder)).toEqual(['   2  running  then  anna@desk', '      ', line]);
  });
});

describe('conflict rules', () => {
  it('reads rules from flags', () => {
    expect(
      conflictRules(
        { take: ['Deployment/web:spec.replicas'], leave: ['.spec.replicas', '*'] },
        { conflicts: [{ field: 'spec.replicas', policy: 'fail' }] },
      ),
    ).toEqual([
      { field: 'spec.replicas', policy: 'fail', why: 'set in the site' },
      {
        object: 'Deployment/web',
        field: 'spec.replicas',
        policy: 'take',
        flag: '--take "Deployment/web:spec.replicas"',
      },
      { field: 'spec.replicas', policy: 'leave', flag: '--leave ".spec.replicas"' },
      { field: '*', policy: 'leave', flag: '--leave "*"' },
    ]);
    expect(() => conflictRules({ take: ['Deployment/web:'] }, {})).toThrow(
      '--take "Deployment/web:" is not a field',
    );
  });
});

describe('an error of a proposed site', () => {
  it('names the arguments that caused it instead of a line of the changed file', () => {
    const file = 'deploy-specs/x/site.yaml';
    const site = {
      position: (path: readonly (string | number)[]) => ({
        file,
        line: path.includes('b') ? 2 : 1,
        column: 1,
      }),
    };
    const changes = ['a', 'b'].map((app) => ({
      argument: `${app}.${app}=3`,
      path: ['apps', app, 'replicas', app],
    }));
    const expected = (line: number, named = file) =>
      blame(
        new CcpError({ code: 'site-invalid', message: 'no', at: { file: named, line, column: 1 } }),
        file,
        changes,
        site,
      ).map(({ at }) => formatPosition(at!));
    expect([expected(2), expected(7), expected(3, 'images/x/app.yaml')]).toEqual([
      ['b.b=3'],
      ['a.a=3 b.b=3'],
      ['images/x/app.yaml:3:1'],
    ]);
  });
});

it('lists step failures at the top level of the JSON result', () => {
  const [policy, web] = [
    { key: 'NetworkPolicy/x', reason: 'is refused', log: [], events: [] },
    { key: 'Deployment/web', reason: '0 of 1 pods are ready', log: [], events: [] },
  ];
  const result = {
    plan: { site: 'tiny', revision: 1 },
    state: 'failed',
    steps: new Map([['web/workload/web', { state: 'failed', failures: [web] }]]),
    failures: [policy],
    away: [],
  } as unknown as DeployResult;
  expect(resultJson(result)).toEqual({
    site: 'tiny',
    revision: 1,
    state: 'failed',
    steps: { 'web/workload/web': { state: 'failed', failures: [web] } },
    failures: [policy, web],
  });
});

describe('scale', () => {
  const SITE = '# a site\napps:\n  keystone:\n    replicas: { api: 3 } # three\n  mariadb: {}\n';
  const site = { name: 'example', apps: { keystone: {}, mariadb: {} } };
  it('changes the numbers and keeps the rest of the file', () => {
    expect(scaledText(SITE, site, ['keystone.api=5', 'mariadb.mariadb=1'])).toBe(
      '# a site\napps:\n  keystone:\n    replicas: { api: 5 } # three\n  mariadb: { replicas: { mariadb: 1 } }\n',
    );
  });

  it.each([
    ['keystone=5', '"keystone=5" is not a number of replicas'],
    ['keystoen.api=5', 'the site example has no app "keystoen"'],
  ])('refuses %s', (wish, message) => {
    expect(() => scaledText(SITE, site, [wish])).toThrow(message);
  });
});

describe('progress', () => {
  it.each([
    [
      { type: 'written', key: 'Deployment/web', action: 'create' } as const,
      ['created Deployment/web'],
    ],
    [
      { type: 'written', key: 'Pod/base-1', action: 'unstick', reason: 'it is broken' } as const,
      ['deleted Pod/base-1: it is broken'],
    ],
    [
      { type: 'lock', state: 'waiting', holder: 'anna@desk', seconds: 15 } as const,
      ['waiting up to 15 s for the lock of the site, held by anna@desk'],
    ],
    [
      { type: 'run-waits', holder: 'anna@desk' } as const,
      ['waiting until the run of anna@desk ends'],
    ],
    [
      {
        type: 'step-waits',
        step: 'web/workload/web',
        key: 'Deployment/web',
        reason: '0 of 2 pods are ready',
      } as const,
      ['[web/workload/web] Deployment/web: 0 of 2 pods are ready'],
    ],
  ])('prints %j as %j', (event, lines) => {
    expect(deployEventLines(event, true)).toEqual(lines);
  });

  it('does not print steps that were already done', () => {
    const lines: string[] = [];
    const { emit } = deployReporter({
      info: (line) => void lines.push(line),
      draw: () => undefined,
      terminal: false,
      verbose: false,
    });
    for (const step of ['done', 'waited']) {
      emit({ type: 'step-started', step });
      if (step === 'waited')
        emit({ type: 'step-waits', step, key: 'Job/x', reason: 'it is running' });
      emit({ type: 'step-ended', step, outcome: { state: 'done' } });
    }
    expect(lines).toEqual(['[waited] Job/x: it is running', '[waited] done']);
  });
});
