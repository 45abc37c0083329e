import { expect, it } from 'vitest';
import { CcpError, errorText } from '#core';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { fakeCluster } from '#ports/testing';
import { appText, renderChecked, siteInputs } from '#site/testing';
import { checkStorage } from './check-storage.ts';

const storageClass = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): KubernetesObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
});
const DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const SPEC = appText('web', '', 'mounts: { data: /data }').replace(
  'kind: Deployment',
  'kind: StatefulSet\n    volumes: { data: { claim: { size: 1Gi, storage: fast } } }',
);
const input = siteInputs({ parseAppSpec, parseSite })('{ web: {} }', { web: SPEC });

async function found(
  storage: Readonly<Record<string, string>>,
  classes: readonly KubernetesObject[],
  at = fakeCluster({ objects: classes }),
): Promise<string> {
  const site = { ...input.site, storage };
  return await checkStorage(at, site, renderChecked({ ...input, site })).then(() => '', errorText);
}

it.each([
  [{ default: 'standard' }, [storageClass('standard')], ''],
  [
    { default: 'standrad', fast: 'nvme' },
    [storageClass('standard')],
    'ccp: site.yaml:8:21: fake has no StorageClass/standrad\n  -> did you mean "standard"?\nccp: site.yaml:8:1: fake has no StorageClass/nvme\n  -> it has standard',
  ],
  [{ default: 'nope' }, [], 'ccp: site.yaml:8:21: fake has no StorageClass/nope\n  -> it has none'],
  [{ logs: 'slow' }, [storageClass('slow', DEFAULT)], ''],
  [
    { logs: 'slow' },
    [storageClass('slow')],
    'ccp: site.yaml:8:1: fake has no default StorageClass, and the site sets none for the claims of web\n  -> set storage.default; the cluster has slow',
  ],
])('classes %j', async (storage, classes, expected) => {
  expect(await found(storage, classes)).toBe(expected);
});

it('skips objects that the account may not read', async () => {
  const denied = {
    ...fakeCluster(),
    list: () => Promise.reject(new CcpError({ code: 'cluster-denied', message: 'no' })),
  };
  expect(await found({ default: 'nope' }, [], denied)).toBe('');
});
