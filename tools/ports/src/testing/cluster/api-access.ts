import { omitUndefined } from '#core';
import type { ClusterKind } from '../../cluster.ts';

/** The resource that a path names. */
export interface ApiTarget {
  readonly kind: ClusterKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** A request in the words of a role's rules. */
export interface ApiAccess {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** `pods`, or `pods/log` with a subresource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The resource of a path; `undefined` if the server does not have it. */
export function targetOf(kinds: readonly ClusterKind[], pathname: string): ApiTarget | undefined {
  const [, root, ...parts] = pathname.split('/').map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const apiVersion = root === 'api' ? parts.shift() : `${parts.shift()}/${parts.shift()}`;
  const namespace =
    parts[0] === 'namespaces' && parts.length > 2 ? parts.splice(0, 2)[1] : undefined;
  const [plural, name, subresource] = parts;
  const kind = kinds.find((each) => each.apiVersion === apiVersion && each.plural === plural);
  if (kind === undefined) return undefined;
  return { kind, ...omitUndefined({ namespace, name, subresource }) };
}

/** The access that a request needs. A server-side apply of a new object also needs `create`. */
export function accessOf(method: string, url: URL, target: ApiTarget): ApiAccess {
  const { kind, namespace, name, subresource } = target;
  const read = name !== undefined ? 'get' : url.searchParams.has('watch') ? 'watch' : 'list';
  return {
    verb: VERBS[method] ?? read,
    group: kind.apiVersion.includes('/') ? kind.apiVersion.split('/')[0]! : '',
    resource: subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`,
    ...omitUndefined({ namespace, name }),
  };
}
