import { CcpError, throwFindings } from '#core';
import type { LiveObject } from '#ports';
import type { ApplicationSite } from '../session/engine.ts';

/** A label of a role: `KEY=VALUE`, or `KEY` for any value. */
function matches({ metadata: { labels = {} } }: LiveObject, label: string): boolean {
  const [key, value] = splitLabel(label);
  return Object.hasOwn(labels, key) && (value === undefined || labels[key] === value);
}

/** The key and the value of a label; no value if any value matches. */
export function splitLabel(label: string): readonly [key: string, value: string | undefined] {
  const at = label.indexOf('=');
  return at < 0 ? [label, undefined] : [label.slice(0, at), label.slice(at + 1)];
}

/** Whether a node has one of the labels of a role, in any spelling. */
export function hasRole(node: LiveObject, labels: readonly string[]): boolean {
  return labels.some((label) => matches(node, label));
}

/**
 * Throws `application-roles` for each role without a host, and for each host whose labels both give
 * and deny a role, such as `openstack-control-plane=disabled` and another spelling. A cluster
 * without nodes is expected to create them on demand.
 */
export function checkRoles(
  { roles, needed, site }: Pick<ApplicationSite, 'roles' | 'needed' | 'site'>,
  nodes: readonly LiveObject[],
): void {
  if (nodes.length === 0) return;
  throwFindings(
    needed.flatMap((role) => {
      const labels = roles[role] ?? [];
      const hosts = nodes.filter((node) => hasRole(node, labels));
      const missing =
        hosts.length > 0
          ? []
          : [
              refusal(
                `no host has the role ${role} of ${site.name}: none has ${labels.join(' or ')}`,
                `assign the label: ccp host-label assign HOST ${assignable(labels[0] ?? role)}`,
              ),
            ];
      return [...missing, ...hosts.flatMap((node) => mixedLabels(node, role, labels))];
    }),
  );
}

function mixedLabels(node: LiveObject, role: string, labels: readonly string[]): CcpError[] {
  const { name, labels: own = {} } = node.metadata;
  const denied = labels.filter((label) => {
    const [key] = splitLabel(label);
    const ofKey = labels.filter((each) => splitLabel(each)[0] === key);
    return Object.hasOwn(own, key) && !ofKey.some((each) => matches(node, each));
  });
  return denied.map((label) => {
    const [key] = splitLabel(label);
    const given = labels.find((each) => matches(node, each));
    return refusal(
      `the labels of ${name} are mixed: ${given} gives it the role ${role}, but ${key}=${own[key]} does not`,
      `remove one of them: ccp host-label remove ${name} ${key}`,
    );
  });
}

function refusal(message: string, hint: string): CcpError {
  return new CcpError({ code: 'application-roles', message, hint });
}

/** A label as an argument of `ccp host-label assign`. */
function assignable(label: string): string {
  return label.includes('=') ? label : `${label}=enabled`;
}
