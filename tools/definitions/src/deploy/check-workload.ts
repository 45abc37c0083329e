import type { AppSpec, Workload } from './app-spec.ts';
import { checkRequirementCondition } from './check-condition.ts';
import { checkContainer, checkProbe, checkVolumes } from './check-container.ts';
import { checkKind } from './check-kind.ts';
import { checkPorts } from './check-ports.ts';
import type { SpecFindings } from './spec-findings.ts';

/** Refuses unknown names and contradictions in a workload. */
export function checkWorkload(
  spec: AppSpec,
  name: string,
  workload: Workload,
  found: SpecFindings,
): void {
  const { refuse } = found;
  const path = ['workloads', name];
  checkVolumes(
    spec,
    [...path, 'volumes'],
    workload.volumes ?? {},
    { claims: workload.kind === 'StatefulSet' },
    found,
  );
  checkKind(name, workload, found);
  checkRequirementCondition(spec, path, workload.when, found);
  checkRequires(spec, name, workload, found);
  checkLeave(spec, name, workload, found);
  if (workload.shareProcessNamespace === true) {
    const at = [...path, 'shareProcessNamespace'];
    if (Object.keys(workload.containers).length > 1)
      refuse(
        at,
        "shareProcessNamespace requires a single container: several could read each other's secrets",
      );
    if (workload.host?.processes !== undefined)
      refuse(at, 'shareProcessNamespace cannot be combined with host.processes');
  }
  checkPorts(name, workload, found);
  for (const [key, container] of Object.entries(workload.containers)) {
    const at = [...path, 'containers', key];
    checkContainer(spec, at, container, workload.volumes ?? {}, found);
    for (const [kind, probe] of Object.entries(container.probes ?? {}))
      checkProbe([...at, 'probes', kind], probe, Object.keys(container.ports ?? {}), found);
  }
}

function checkRequires(
  spec: AppSpec,
  name: string,
  { requires = [] }: Workload,
  { known }: SpecFindings,
): void {
  const nodeServices = Object.entries(spec.requires ?? {})
    .filter(([, { kind }]) => kind === 'node-service')
    .map(([key]) => key);
  const others = Object.keys(spec.workloads).filter((other) => other !== name);
  for (const [index, required] of requires.entries()) {
    const [wanted = '', local] = required.split(':');
    known(
      ['workloads', name, 'requires', index],
      local === undefined ? 'other workload' : 'other workload or required node-service',
      wanted,
      local === undefined ? others : [...others, ...nodeServices],
    );
  }
}

function checkLeave(
  spec: AppSpec,
  name: string,
  { replicas }: Workload,
  { refuse, known }: SpecFindings,
): void {
  const leave = replicas?.leave;
  if (leave === undefined) return;
  const path = ['workloads', name, 'replicas', 'leave'];
  known(path, 'action', leave, Object.keys(spec.actions ?? {}));
  const asked = Object.entries(spec.actions?.[leave]?.parameters ?? {})
    .filter(([, parameter]) => parameter.default === undefined)
    .map(([key]) => key);
  if (asked.length > 0)
    refuse(
      path,
      `the action "${leave}" needs values for ${asked.join(', ')}, but it runs without parameters when replicas are removed`,
    );
}
