import { isRecord } from '#core';
import { checkDependents } from './check-dependents.ts';
import type { Findings } from './findings.ts';
import type { ApplicationContent } from './read-application.ts';
import { mappingIn, type Mapping } from './yaml-of.ts';
import { isPattern, sectionReader, type Section } from './metadata-section.ts';

const FILE = 'metadata.yaml';
const KUBERNETES = /^v*\d\.(?:\d+\.)?\d+$/;
const CLASSES = ['critical', 'storage', 'discovery', 'optional', 'reporting'];
const REPOSITORIES = ['starlingx', 'stx-platform'];

/** The rules of metadata.yaml. Returns its content if it is a mapping. */
export function checkMetadata(content: ApplicationContent, found: Findings): Mapping | undefined {
  const value = mappingIn(content, FILE, { rule: 'metadata', found });
  if (value === undefined) return undefined;
  const metadata = sectionReader(value, '', found);
  for (const key of ['app_name', 'app_version']) {
    const text = value[key];
    if (typeof text === 'string' && text !== '') continue;
    metadata.refuse(
      'metadata-name',
      key,
      'must be a text that is not empty',
      `set it, like ${key}: ${key === 'app_name' ? 'openstack' : '"2026.1-0"'}`,
    );
  }
  checkUpgrades(metadata, value);
  checkKubernetes(metadata);
  checkReleases(metadata);
  checkBehavior(metadata);
  metadata.text('class');
  if (typeof value['class'] === 'string' && !CLASSES.includes(value['class']))
    metadata.refuse(
      'metadata-class',
      'class',
      `is not one of ${CLASSES.join(', ')}`,
      'use optional',
    );
  if (value['repo'] !== undefined)
    metadata.warn('metadata-repo', 'repo', 'is not read', 'use helm_repo');
  const repository = value['helm_repo'];
  if (
    repository !== undefined &&
    !(typeof repository === 'string' && REPOSITORIES.includes(repository))
  )
    metadata.refuse(
      'metadata-repo',
      'helm_repo',
      `is not one of ${REPOSITORIES.join(', ')}`,
      'use starlingx',
    );
  for (const key of ['maintain_attributes', 'maintain_user_overrides']) metadata.flag(key);
  const disabled = metadata.list('disabled_charts') ?? [];
  const hasPlugin = [...content.files.keys()].some((path) => /^plugins\/.*\.whl$/.test(path));
  if (disabled.length > 0 && !hasPlugin)
    metadata.warn(
      'metadata-disabled',
      'disabled_charts',
      'is ignored without a plugin wheel in plugins/',
      'leave the charts out of fluxcd-manifests/kustomization.yaml',
    );
  checkDependents(metadata);
  return value;
}

function checkUpgrades(metadata: Section, value: Mapping): void {
  const upgrades = metadata.section('upgrades');
  if (upgrades !== undefined) {
    upgrades.flag('auto_update');
    upgrades.flag('update_failure_no_rollback');
    const versions = upgrades.list('from_versions');
    versions?.forEach((version, index) => {
      if (typeof version !== 'string' || !isPattern(version))
        upgrades.refuse(
          'metadata-versions',
          `from_versions[${index}]`,
          'is not a regular expression',
          'write a text in quotes, with backslashes before dots',
        );
    });
    if (versions?.length === 0)
      upgrades.warn(
        'metadata-versions',
        'from_versions',
        'is empty, so no version can be updated',
        'list patterns of earlier versions',
      );
    if (isRecord(value['upgrades']) && value['upgrades']['from_version'] !== undefined)
      upgrades.warn(
        'metadata-from-version',
        'from_version',
        'is not read, so any version may be updated',
        'use from_versions',
      );
  }
  metadata.section('downgrades')?.flag('auto_downgrade');
}

function checkKubernetes(metadata: Section): void {
  const hint = 'write `supported_k8s_version: { minimum: "1.31" }`';
  const versions = metadata.section('supported_k8s_version');
  if (versions === undefined) {
    if (!metadata.has('supported_k8s_version'))
      metadata.refuse('metadata-kubernetes', 'supported_k8s_version', 'is missing', hint);
  } else {
    if (!versions.has('minimum'))
      versions.refuse('metadata-kubernetes', 'minimum', 'is missing', hint);
    for (const key of ['minimum', 'maximum']) {
      const version = versions.text(key);
      if (version !== undefined && !KUBERNETES.test(version.trim()))
        versions.refuse(
          'metadata-kubernetes',
          key,
          `is not MAJOR.MINOR or MAJOR.MINOR.PATCH: ${JSON.stringify(version)}`,
          hint,
        );
    }
  }
  const upgrades = metadata.section('k8s_upgrades');
  if (upgrades === undefined) return;
  upgrades.flag('auto_update');
  const timing = upgrades.text('timing');
  if (timing !== undefined && timing !== 'pre' && timing !== 'post')
    upgrades.refuse('metadata-timing', 'timing', 'is not pre or post', 'use post');
  if (upgrades.has('auto_update') !== upgrades.has('timing'))
    upgrades.refuse(
      'metadata-timing',
      upgrades.has('timing') ? 'auto_update' : 'timing',
      'is missing: auto_update and timing need each other',
      'set both, or leave out k8s_upgrades',
    );
}

function checkReleases(metadata: Section): void {
  const releases = metadata.section('supported_releases');
  for (const release of releases?.keys ?? [])
    releases!.list(release)?.forEach((patch, index) => {
      if (typeof patch !== 'string')
        releases!.refuse(
          'metadata-releases',
          `${release}[${index}]`,
          'is not a text',
          'write names of patches in quotes',
        );
    });
}

function checkBehavior(metadata: Section): void {
  const behavior = metadata.section('behavior');
  if (behavior === undefined) return;
  behavior.flag('platform_managed_app');
  behavior.text('desired_state');
  const reapply = behavior.section('evaluate_reapply');
  for (const trigger of reapply?.sections('triggers') ?? []) {
    trigger.text('type');
    trigger.text('filter_field');
    trigger.list('filters');
  }
}
