import { expect, it } from 'vitest';
import { operatorMetrics } from './operator-metrics.ts';

it('counts passes by their outcome, with durations, drift and the age of backups', () => {
  const metrics = operatorMetrics();
  const resource = 'OpenStackRelease/cloud/tiny';
  metrics.note({ type: 'leader', state: 'taken' });
  for (const milliseconds of [90, 1500])
    metrics.note({ type: 'reconciled', resource, outcome: 'Ready', milliseconds });
  metrics.note({ type: 'reconciled', resource, outcome: 'Degraded', milliseconds: 300 });
  metrics.note({ type: 'drift', resource, objects: ['Deployment/web', 'Service/web'] });
  metrics.note({
    type: 'ages',
    resource,
    ages: [{ id: 'base/dump', last: '2026-01-01T00:00:00Z', maxAge: 7200, old: false }],
  });
  const lines = metrics.text(Date.parse('2026-01-01T01:00:00Z')).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'ccp_operator_leader 1',
      `ccp_operator_reconciles_total{resource="${resource}",outcome="Ready"} 2`,
      `ccp_operator_reconciles_total{resource="${resource}",outcome="Degraded"} 1`,
      'ccp_operator_reconcile_seconds_bucket{le="0.1"} 1',
      'ccp_operator_reconcile_seconds_bucket{le="2"} 3',
      'ccp_operator_reconcile_seconds_sum 1.89',
      `ccp_operator_ready{resource="${resource}"} 0`,
      `ccp_operator_drifted_objects_total{resource="${resource}"} 2`,
      `ccp_operator_action_age_seconds{resource="${resource}",action="base/dump"} 3600`,
      `ccp_operator_action_overdue{resource="${resource}",action="base/dump"} 0`,
    ]),
  );
});

it('counts an action that never succeeded as overdue, without an age', () => {
  const metrics = operatorMetrics();
  const ages = [{ id: 'base/dump', maxAge: 7200, old: true }];
  metrics.note({ type: 'ages', resource: 'a', ages });
  const text = metrics.text(0);
  expect(text).toContain('ccp_operator_action_overdue{resource="a",action="base/dump"} 1\n');
  expect(text).not.toContain('ccp_operator_action_age_seconds{');
});

it('forgets the state of resources when another operator leads', () => {
  const metrics = operatorMetrics();
  metrics.note({ type: 'leader', state: 'taken' });
  metrics.note({ type: 'reconciled', resource: 'a', outcome: 'Degraded', milliseconds: 1 });
  metrics.note({ type: 'leader', state: 'lost' });
  const text = metrics.text(0);
  expect(text).toContain('ccp_operator_leader 0\n');
  expect(text).not.toContain('ccp_operator_ready{');
  expect(text).toContain('ccp_operator_reconciles_total{resource="a",outcome="Degraded"} 1\n');
});
