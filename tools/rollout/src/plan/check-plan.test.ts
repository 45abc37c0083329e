import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { installed } from '../testing/tiny-looks.ts';
import { checkNodes } from './check-nodes.ts';
import { checkApproved } from './check-plan.ts';
import { deployPlanText, parseDeployPlan } from './deploy-plan-file.ts';
import { makePlan } from './make-plan.ts';

describe('a plan file', () => {
  it('is read as it was written', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ colour: 'blue' }));
    expect(parseDeployPlan(deployPlanText(plan), 'plan.json')).toEqual(
      JSON.parse(JSON.stringify(plan)),
    );
  });

  it.each([
    ['no JSON', 'x', /plan\.json is not a deployment plan: it is not JSON/],
    ['another format', '{"format":2}', /it has format 2, this tool reads format 1/],
    ['a part that is missing', '{"format":1}', /a required part is missing/],
    [
      'an edit by hand',
      JSON.stringify({
        format: 1,
        objects: [],
        steps: [],
        prune: [],
        rendered: { foundation: [], steps: [], secrets: [] },
        content: 'x',
      }),
      /its rendered objects do not match its content hash/,
    ],
  ])('is refused for %s', (_, text, message) => {
    expect(() => parseDeployPlan(text, 'plan.json')).toThrow(message);
  });

  it('is refused when the cluster has moved on, and when the site has', async () => {
    const world = await installed();
    const approved = await makePlan(world.cluster, TINY, tinySite({ colour: 'blue' }));
    world.cluster.edit(
      { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: TINY.namespace },
      (object) => Object.assign(object['metadata'] as object, { labels: {} }),
      'kubectl-edit',
    );
    const moved = await makePlan(world.cluster, TINY, tinySite({ colour: 'blue' }), {
      rules: [{ field: '*', policy: 'take' }],
    });
    expect(() => checkApproved(approved, moved)).toThrow(
      /^the plan is out of date; since it was made:\n {2}Service\/web was changed; apply would revert: metadata\.labels\[.*: web is added/,
    );
    expect(() => checkApproved(approved, { ...approved, content: 'other' })).toThrow(
      'the site now renders different objects',
    );
    expect(() => checkApproved(approved, { ...approved, cluster: 'other' })).toThrow(
      'it was made for the cluster fake, but this is other',
    );
  });
});

describe('checkNodes', () => {
  const node = (labels: Record<string, string>, spec = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels, uid: '', resourceVersion: '', creationTimestamp: '' },
    spec,
  });
  it('wants a node with the role for each workload', () => {
    expect(() => checkNodes(tinySite(), [node({ role: 'any' })], TINY)).not.toThrow();
    expect(() =>
      checkNodes(
        tinySite({ web: false }),
        [node({ role: 'other' }), node({ role: 'any' }, { unschedulable: true })],
        TINY,
      ),
    ).toThrow(
      /^Job\/ccp-tiny-secrets-\w+ needs 1 node with role=any, but 0 of 2 nodes can run it \(and 1 more\)$/,
    );
  });
});
