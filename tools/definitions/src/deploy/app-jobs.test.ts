import { describe, expect, it } from 'vitest';
import { thrownFindings, parseSpec, WEB_SPEC } from '../testing/app-spec-findings.ts';

describe('a job like another', () => {
  const jobs = (...list: readonly string[]) =>
    parseSpec(`${WEB_SPEC}jobs:\n${list.map((job) => `  ${job}\n`).join('')}`);
  const FIRST =
    'first: { phase: expand, after: [zeroth], role: any, command: [one], env: { A: a }, resources: {} }';
  const ZEROTH = 'zeroth: { phase: expand, role: any, command: [nil], resources: {} }';

  it('inherits all keys except the order', () => {
    expect(
      jobs(ZEROTH, FIRST, 'second: { phase: contract, like: first, command: [two] }')(),
    ).toMatchObject({
      jobs: {
        second: {
          phase: 'contract',
          role: 'any',
          command: ['two'],
          env: { A: 'a' },
          resources: {},
        },
      },
    });
    expect(jobs(ZEROTH, FIRST, 'second: { phase: contract, like: first }')()).not.toHaveProperty(
      'jobs.second.after',
    );
  });

  it.each([
    [
      'an unknown job',
      'second: { phase: post, like: frist }',
      'app.yaml:16:32 unknown self-contained job "frist" (did you mean "first"?)',
    ],
    [
      'a job with `like`',
      'second: { phase: post, like: third }, third: { phase: post, like: first }'.replace(
        ', third',
        '\n  third',
      ),
      'app.yaml:16:32 unknown self-contained job "third" (known: zeroth, first)',
    ],
    [
      'itself',
      'second: { phase: post, like: second }',
      'app.yaml:16:32 unknown self-contained job "second" (known: zeroth, first)',
    ],
    [
      'nothing, without a required key',
      'second: { phase: post, command: [two], resources: {} }',
      'app.yaml:16:3 the key "role" is missing in jobs.second',
    ],
  ])('is not like %s', (_, job, finding) => {
    expect(thrownFindings(jobs(ZEROTH, FIRST, job))).toEqual([finding]);
  });
});

describe('the check before an action that replaces data', () => {
  const spec = (more: string, probe = '') =>
    parseSpec(
      `${WEB_SPEC}actions:
  probe: { description: x, role: x, command: [probe], resources: {}${probe} }
  recover: { description: x, role: x, command: [recover], resources: {}${more} }
`.replace('Deployment', 'StatefulSet'),
    );

  it.each([
    [', replaces: web, precheck: prob', '', 'unknown action "prob" (did you mean "probe"?)'],
    [', precheck: probe', '', 'an action without "replaces" cannot have "precheck"'],
    [
      ', replaces: web, precheck: recover',
      '',
      'the action "recover" replaces data, so it cannot be a check',
    ],
    [
      ', replaces: web, precheck: probe',
      ', parameters: { name: { description: x, type: text } }',
      'the action "probe" needs values for name',
    ],
  ])('refuses %s%s', (more, probe, finding) => {
    expect(thrownFindings(spec(more, probe))).toEqual([
      expect.stringMatching(new RegExp(`^app.yaml:\\d+:\\d+ ${RegExp.escape(finding)}`)),
    ]);
  });

  it('has the parameters of the action', () => {
    const name = ', parameters: { name: { description: x, type: text } }';
    expect(spec(`, replaces: web, precheck: probe${name}`, name)()).toMatchObject({
      actions: { recover: { precheck: 'probe' } },
    });
  });
});

describe('the action before replicas are removed', () => {
  it('has no required parameters', () => {
    const leaving = (action: string, parameter: string) =>
      parseSpec(
        `${WEB_SPEC.replace('rule: any', `rule: any, leave: ${action}`)}actions: { part: { description: x, role: x, command: [part], resources: {}, parameters: { who: { description: x, type: text${parameter} } } } }\n`,
      );
    expect(thrownFindings(leaving('prat', ''))).toEqual([
      'app.yaml:8:47 unknown action "prat" (did you mean "part"?)',
    ]);
    expect(thrownFindings(leaving('part', ''))).toEqual([
      'app.yaml:8:47 the action "part" needs values for who, but it runs without parameters when replicas are removed',
    ]);
    expect(leaving('part', ', default: all')()).toMatchObject({
      workloads: { web: { replicas: { leave: 'part' } } },
    });
  });
});

describe('a shared process namespace', () => {
  const shared = (change: (text: string) => string) =>
    parseSpec(
      change(
        WEB_SPEC.replace('    grace: 30\n', '    grace: 30\n    shareProcessNamespace: true\n'),
      ),
    );

  it('is for one container', () => {
    expect(shared((text) => text)()).toMatchObject({
      workloads: { web: { shareProcessNamespace: true } },
    });
    expect(
      thrownFindings(shared((text) => `${text}      side: { command: [serve], resources: {} }\n`)),
    ).toEqual([
      "app.yaml:11:28 shareProcessNamespace requires a single container: several could read each other's secrets",
    ]);
    expect(
      thrownFindings(
        shared((text) =>
          text.replace('    containers:', '    host: { processes: x }\n    containers:'),
        ),
      ),
    ).toEqual(['app.yaml:11:28 shareProcessNamespace cannot be combined with host.processes']);
  });
});
