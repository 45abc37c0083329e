import { CcpError, isRecord, nearest } from '#core';
import type { ClusterKind, KindRef, ObjectRef } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './ask-server.ts';
import { strangeAnswer } from './cluster-error.ts';
import { readJson } from './live-object.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The kinds of a server, asked once by two requests (aggregated discovery, in every server since 1.30). */
export interface Discovery {
  kinds(): Promise<readonly ClusterKind[]>;
  /** Raises `cluster-kind-unknown`; asks the server again before it does, for the kind may be new. */
  find(kind: KindRef): Promise<ClusterKind>;
}

/** Asks nothing yet. */
export function discovery(server: Server): Discovery {
  let asked: Promise<readonly ClusterKind[]> | undefined;
  const kinds = (): Promise<readonly ClusterKind[]> => {
    asked ??= Promise.all(['/api', '/apis'].map((path) => readGroups(server, path))).then((lists) => lists.flat());
    asked.catch(() => (asked = undefined));
    return asked;
  };
  const lookUp = (known: readonly ClusterKind[], { apiVersion, kind }: KindRef) => known.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  return {
    kinds,
    find: async (wanted) => {
      const known = lookUp(await kinds(), wanted);
      if (known !== undefined) return known;
      asked = undefined;
      const fresh = await kinds();
      const found = lookUp(fresh, wanted);
      if (found !== undefined) return found;
      const elsewhere = fresh.filter(({ kind }) => kind === wanted.kind).map(({ apiVersion }) => apiVersion);
      const near = nearest(wanted.kind, [...new Set(fresh.map(({ kind }) => kind))]);
      const meant = near === undefined ? {} : { hint: `did you mean ${near}?` };
      throw new CcpError({
        code: 'cluster-kind-unknown',
        message: `the server ${server.transport.server} knows no kind ${wanted.kind} of ${wanted.apiVersion}`,
        ...(elsewhere.length > 0 ? { hint: `it has it in ${elsewhere.join(', ')}` } : meant),
      });
    },
  };
}

/** The path of a kind's objects, or of one of them; one of a namespace that names none is in `default`. */
export function pathOf({ apiVersion, plural, namespaced }: ClusterKind, { namespace, name }: Partial<Pick<ObjectRef, 'namespace' | 'name'>>): string {
  const root = apiVersion.includes('/') ? '/apis' : '/api';
  const home = namespace ?? (name === undefined ? undefined : 'default');
  const within = namespaced && home !== undefined ? ['namespaces', home] : [];
  return [root, apiVersion, ...[...within, plural, ...(name === undefined ? [] : [name])].map(encodeURIComponent)].join('/');
}

async function readGroups(server: Server, path: string): Promise<readonly ClusterKind[]> {
  const request: ApiRequest = { method: 'GET', path, accept: ACCEPT, doing: 'ask for the kinds of the server' };
  const call = { server: server.transport.server, doing: request.doing };
  const { answer } = await server.ask(request);
  if (answer.status >= 400) throw server.refused(readStatus(answer), request);
  const body = readJson(answer, call);
  if (body['kind'] !== 'APIGroupDiscoveryList') throw strangeAnswer('no aggregated discovery; Kubernetes 1.30 or newer is wanted', call);
  return records(body['items']).flatMap((group) => {
    const name = isRecord(group['metadata']) ? String(group['metadata']['name'] ?? '') : '';
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
