import { expect, it } from 'vitest';
import { findingsOf, METADATA } from '../../../testing/packed-application.ts';

const metadata = (more: string): Promise<readonly string[]> =>
  findingsOf({ 'metadata.yaml': `${METADATA}${more}\n` });

it('accepts every optional key of metadata.yaml', async () => {
  expect(
    await metadata(`upgrades: { auto_update: no, update_failure_no_rollback: "true", from_versions: ['2026\\.1-\\d+'] }
downgrades: { auto_downgrade: false }
k8s_upgrades: { auto_update: true, timing: post }
supported_releases: { "25.09": [patch-1] }
helm_repo: stx-platform
maintain_attributes: true
maintain_user_overrides: yes
class: optional
behavior:
  platform_managed_app: yes
  desired_state: applied
  evaluate_reapply: { triggers: [{ type: unlock, filters: [{ personality: controller }], filter_field: x }] }
dependent_apps:
  - { name: prometheus, version: '25\\.09-\\d+', action: warn }
  - [{ name: a, version: '.*', action: error }, { name: b, version: '.*', action: apply }]
dependent_parent_exceptions: [{ name: a, version: '1.*' }]`),
  ).toEqual([]);
});

const ROWS: readonly (readonly [string, () => Promise<readonly string[]>])[] = [
  // metadata.yaml
  [
    'error metadata metadata.yaml: the file is missing',
    () => findingsOf({ 'metadata.yaml': undefined }),
  ],
  [
    'error metadata metadata.yaml: it is not a mapping of YAML',
    () => findingsOf({ 'metadata.yaml': '- a\n' }),
  ],
  [
    'error metadata-name metadata.yaml: app_name must be a text that is not empty',
    () => findingsOf({ 'metadata.yaml': METADATA.replace('cloud', '""') }),
  ],
  [
    'error metadata-name metadata.yaml: app_version must be a text that is not empty',
    () => findingsOf({ 'metadata.yaml': METADATA.replace('app_version', 'version') }),
  ],
  [
    'error metadata-type metadata.yaml: upgrades is not a mapping',
    () => metadata('upgrades: true'),
  ],
  [
    'error metadata-type metadata.yaml: upgrades.auto_update is not one of true, false, yes, no, y, n, 1, 0',
    () => metadata('upgrades: { auto_update: maybe }'),
  ],
  [
    'error metadata-type metadata.yaml: upgrades.from_versions is not a list',
    () => metadata('upgrades: { from_versions: "1" }'),
  ],
  [
    'error metadata-versions metadata.yaml: upgrades.from_versions[0] is not a regular expression',
    () => metadata('upgrades: { from_versions: ["1.(0"] }'),
  ],
  [
    'error metadata-versions metadata.yaml: upgrades.from_versions[0] is not a regular expression',
    () => metadata('upgrades: { from_versions: [1.0] }'),
  ],
  [
    'warning metadata-versions metadata.yaml: upgrades.from_versions is empty, so no version can be updated',
    () => metadata('upgrades: { from_versions: [] }'),
  ],
  [
    'warning metadata-from-version metadata.yaml: upgrades.from_version is not read, so any version may be updated',
    () => metadata('upgrades: { from_version: [".*"] }'),
  ],
  [
    'error metadata-kubernetes metadata.yaml: supported_k8s_version is missing',
    () => findingsOf({ 'metadata.yaml': 'app_name: a\napp_version: "1"\n' }),
  ],
  [
    'error metadata-kubernetes metadata.yaml: supported_k8s_version.minimum is missing',
    () => findingsOf({ 'metadata.yaml': METADATA.replace('minimum', 'maximum') }),
  ],
  [
    'error metadata-kubernetes metadata.yaml: supported_k8s_version.minimum is not MAJOR.MINOR or MAJOR.MINOR.PATCH: "newest"',
    () => findingsOf({ 'metadata.yaml': METADATA.replace('"1.31"', 'newest') }),
  ],
  [
    'error metadata-type metadata.yaml: supported_k8s_version.minimum is not a text in quotes',
    () => findingsOf({ 'metadata.yaml': METADATA.replace('"1.31"', '1.31') }),
  ],
  [
    'error metadata-timing metadata.yaml: k8s_upgrades.timing is missing: auto_update and timing need each other',
    () => metadata('k8s_upgrades: { auto_update: true }'),
  ],
  [
    'error metadata-timing metadata.yaml: k8s_upgrades.timing is not pre or post',
    () => metadata('k8s_upgrades: { auto_update: true, timing: now }'),
  ],
  [
    'error metadata-type metadata.yaml: supported_releases.25.09 is not a list',
    () => metadata('supported_releases: { "25.09": patch }'),
  ],
  [
    'error metadata-releases metadata.yaml: supported_releases.25.09[0] is not a text',
    () => metadata('supported_releases: { "25.09": [1] }'),
  ],
  [
    'error metadata-class metadata.yaml: class is not one of critical, storage, discovery, optional, reporting',
    () => metadata('class: other'),
  ],
  ['warning metadata-repo metadata.yaml: repo is not read', () => metadata('repo: starlingx')],
  [
    'error metadata-repo metadata.yaml: helm_repo is not one of starlingx, stx-platform',
    () => metadata('helm_repo: mine'),
  ],
  [
    'warning metadata-disabled metadata.yaml: disabled_charts is ignored without a plugin wheel in plugins/',
    () => metadata('disabled_charts: [web]'),
  ],
  [
    'error metadata-type metadata.yaml: behavior.evaluate_reapply.triggers[0] is not a mapping',
    () => metadata('behavior: { evaluate_reapply: { triggers: [unlock] } }'),
  ],
  [
    'error metadata-type metadata.yaml: behavior.evaluate_reapply.triggers[0].filters is not a list',
    () => metadata('behavior: { evaluate_reapply: { triggers: [{ filters: a }] } }'),
  ],
  [
    'error metadata-dependents metadata.yaml: dependent_apps[0].action is not one of ignore, warn, error, apply',
    () => metadata('dependent_apps: [{ name: a, version: "1", action: stop }]'),
  ],
  [
    'error metadata-dependents metadata.yaml: dependent_apps[0].version is not a regular expression',
    () => metadata('dependent_apps: [{ name: a, action: warn }]'),
  ],
  [
    'error metadata-dependents metadata.yaml: dependent_apps[0] has fewer than two applications that exclude each other',
    () => metadata('dependent_apps: [[{ name: a, version: "1", action: warn }]]'),
  ],
  [
    'error metadata-dependents metadata.yaml: dependent_parent_exceptions[0] is not a mapping',
    () => metadata('dependent_parent_exceptions: [a]'),
  ],
];

it.each(ROWS)('reports %s', async (finding, run) => {
  expect(await run()).toContain(finding);
});
