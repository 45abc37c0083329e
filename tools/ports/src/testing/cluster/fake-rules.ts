import { isDeepStrictEqual } from 'node:util';
import type { InvalidCause, ObjectRef } from '../../cluster.ts';
import {
  copyOf,
  fieldsOf,
  isTree,
  fieldPathText,
  valueAt,
  type MutableJson,
} from './field-path.ts';

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const FIXED: Readonly<Record<string, readonly string[]>> = {
  Job: ['template', 'selector', 'completionMode'],
  Deployment: ['selector'],
  DaemonSet: ['selector'],
  ReplicaSet: ['selector'],
};
const SET_MAY_CHANGE = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

/**
 * Why an API server would reject a change from `old` to `next`. Covers only the rules that a deploy
 * tool meets.
 */
export function ruleFindings(
  ref: ObjectRef,
  old: MutableJson | undefined,
  next: MutableJson,
): readonly InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (!NAME.test(ref.name))
    causes.push({
      field: 'metadata.name',
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${ref.name}": a lowercase RFC 1123 subdomain is required`,
    });
  if (ref.kind === 'Service') causes.push(...sameNames(valueAt(next, ['f:spec', 'f:ports'])));
  if (old === undefined) return causes;
  if (
    old['immutable'] === true &&
    ['data', 'binaryData', 'immutable'].some(
      (member) => !isDeepStrictEqual(old[member], next[member]),
    )
  ) {
    causes.push({
      field: 'data',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: field is immutable when `immutable` is set',
    });
  }
  const changed = (member: string) =>
    !isDeepStrictEqual(
      valueAt(old, ['f:spec', `f:${member}`]),
      valueAt(next, ['f:spec', `f:${member}`]),
    );
  for (const member of (FIXED[ref.kind] ?? []).filter(changed)) {
    causes.push({
      field: `spec.${member}`,
      reason: 'FieldValueInvalid',
      message: 'Invalid value: field is immutable',
    });
  }
  if (ref.kind === 'PersistentVolumeClaim' && changed('storageClassName')) {
    causes.push({
      field: 'spec',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: spec is immutable after creation',
    });
  }
  if (ref.kind === 'StatefulSet') {
    const members = new Set(
      [old['spec'], next['spec']].flatMap((spec) => (isTree(spec) ? Object.keys(spec) : [])),
    );
    if ([...members].some((member) => !SET_MAY_CHANGE.has(member) && changed(member))) {
      causes.push({
        field: 'spec',
        reason: 'FieldValueForbidden',
        message: `Forbidden: updates to statefulset spec for fields other than ${[...SET_MAY_CHANGE].join(', ')} are forbidden`,
      });
    }
  }
  return causes;
}

function sameNames(ports: unknown): readonly InvalidCause[] {
  const names = Array.isArray(ports) ? ports.map((port: MutableJson) => port['name']) : [];
  return names.flatMap((name, index) =>
    name !== undefined && names.indexOf(name) < index
      ? [
          {
            field: `spec.ports[${index}].name`,
            reason: 'FieldValueDuplicate',
            message: `Duplicate value: "${String(name)}"`,
          },
        ]
      : [],
  );
}

/** Duplicate keys in keyed lists, which an API server rejects in an apply. */
export function duplicatesIn(wanted: MutableJson): readonly InvalidCause[] {
  const items = fieldsOf(wanted)
    .filter(({ isItem }) => isItem)
    .map(({ path }) => path);
  const seen = new Set<string>();
  return items
    .filter((path) => seen.size === seen.add(path.join('\0')).size)
    .map((path) => ({
      field: fieldPathText(path.slice(0, -1)).slice(1),
      reason: 'FieldValueInvalid',
      message: `duplicate entries for key ${fieldPathText(path.slice(-1))}`,
    }));
}

/** `object` with the API server defaults that affect a deploy tool. */
export function withDefaults(kind: string, object: MutableJson): MutableJson {
  const filled = copyOf(object);
  const spec = filled['spec'];
  if (!isTree(spec)) return filled;
  if (kind === 'Deployment' || kind === 'StatefulSet') spec['replicas'] ??= 1;
  if (kind === 'Job')
    Object.assign(spec, { completions: 1, parallelism: 1, backoffLimit: 6, ...spec });
  if (kind === 'Service')
    Object.assign(spec, { type: 'ClusterIP', clusterIP: '10.0.0.10', ...spec });
  for (const port of portsIn(spec)) port['protocol'] ??= 'TCP';
  return filled;
}

function portsIn(spec: MutableJson): readonly MutableJson[] {
  const pod = valueAt(spec, ['f:template', 'f:spec']) ?? spec;
  const containers = isTree(pod) && Array.isArray(pod['containers']) ? pod['containers'] : [];
  return [spec, ...(containers as readonly unknown[])]
    .filter(isTree)
    .flatMap(({ ports }) => (Array.isArray(ports) ? ports.filter(isTree) : []));
}
