import { CcpError, isRecord, nearest } from '#core';
import type { ClusterKind, KindRef, ObjectRef } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { unexpectedResponse } from './cluster-error.ts';
import { readJson } from './live-object.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * The kinds of a server, requested once (aggregated discovery, two requests, since Kubernetes
 * 1.30).
 */
export interface Discovery {
  kinds(): Promise<readonly ClusterKind[]>;
  /** Throws `cluster-kind-unknown`, after a second request in case the kind is new. */
  find(kind: KindRef): Promise<ClusterKind>;
}

export function discovery(server: Server): Discovery {
  let pending: Promise<readonly ClusterKind[]> | undefined;
  const kinds = (): Promise<readonly ClusterKind[]> => {
    pending ??= Promise.all(['/api', '/apis'].map((path) => readGroups(server, path))).then(
      (lists) => lists.flat(),
    );
    pending.catch(() => (pending = undefined));
    return pending;
  };
  const lookUp = (known: readonly ClusterKind[], { apiVersion, kind }: KindRef) =>
    known.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  return {
    kinds,
    find: async (wanted) => {
      const known = lookUp(await kinds(), wanted);
      if (known !== undefined) return known;
      pending = undefined;
      const fresh = await kinds();
      const found = lookUp(fresh, wanted);
      if (found !== undefined) return found;
      const elsewhere = fresh
        .filter(({ kind }) => kind === wanted.kind)
        .map(({ apiVersion }) => apiVersion);
      const near = nearest(wanted.kind, [...new Set(fresh.map(({ kind }) => kind))]);
      const similar = near === undefined ? {} : { hint: `did you mean ${near}?` };
      throw new CcpError({
        code: 'cluster-kind-unknown',
        message: `the server ${server.transport.server} does not have the kind ${wanted.kind} in ${wanted.apiVersion}`,
        ...(elsewhere.length > 0
          ? { hint: `use apiVersion ${elsewhere.join(' or ')}, or install the kind's definition` }
          : similar),
      });
    },
  };
}

/**
 * The path of a kind's objects, or of one object. The namespace of one object is by default
 * `default`.
 */
export function objectPath(
  { apiVersion, plural, namespaced }: ClusterKind,
  { namespace, name }: Partial<Pick<ObjectRef, 'namespace' | 'name'>>,
): string {
  const root = apiVersion.includes('/') ? '/apis' : '/api';
  const home = namespace ?? (name === undefined ? undefined : 'default');
  const within = namespaced && home !== undefined ? ['namespaces', home] : [];
  return [
    root,
    apiVersion,
    ...[...within, plural, ...(name === undefined ? [] : [name])].map(encodeURIComponent),
  ].join('/');
}

async function readGroups(server: Server, path: string): Promise<readonly ClusterKind[]> {
  const request: ApiRequest = {
    method: 'GET',
    path,
    accept: ACCEPT,
    doing: 'list the kinds of the server',
  };
  const call = { server: server.transport.server, doing: request.doing };
  const { answer } = await server.send(request);
  if (answer.status >= 400) throw server.statusError(readStatus(answer), request);
  const body = readJson(answer, call);
  if (body['kind'] !== 'APIGroupDiscoveryList')
    throw unexpectedResponse('no aggregated discovery; Kubernetes 1.30 or newer is required', call);
  return records(body['items']).flatMap((group) => {
    const groupName = isRecord(group['metadata']) ? group['metadata']['name'] : undefined;
    const name = typeof groupName === 'string' ? groupName : '';
    return records(group['versions']).flatMap(({ version, resources }) => {
      const apiVersion = name === '' ? String(version) : `${name}/${String(version)}`;
      return records(resources).map((resource) => ({
        apiVersion,
        kind: isRecord(resource['responseKind']) ? String(resource['responseKind']['kind']) : '',
        plural: String(resource['resource']),
        namespaced: resource['scope'] === 'Namespaced',
        verbs: Array.isArray(resource['verbs']) ? resource['verbs'].map(String) : [],
      }));
    });
  });
}

function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
