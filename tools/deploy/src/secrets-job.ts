import { CcpError } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { jobObject } from './job.ts';
import type { PodSpec } from './kubernetes.ts';
import { contentHash, siteLabels } from './labels.ts';
import { placement } from './placement.ts';
import type { SecretRequest, SiteInput } from './types.ts';

/** Image that Secrets are made in: any with Python serves; this one is part of every set that has an OpenStack service. */
export const SECRETS_IMAGE = 'openstack-base';
const NOBODY = 65534;

/**
 * Posts each Secret that is not there yet; 409 means it is, and nothing is changed: the account may create Secrets, and read only
 * those whose Fernet keys are carried on. A Fernet key is 32 random bytes in URL-safe base64, as cryptography's `Fernet.generate_key` makes it.
 */
const SCRIPT = `import base64, json, os, secrets, ssl, string, urllib.error, urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
LETTERS = string.ascii_letters + string.digits
MAKE = {
    "password": lambda: "".join(secrets.choice(LETTERS) for _ in range(32)),
    "fernet-key": lambda: base64.urlsafe_b64encode(os.urandom(32)).decode(),
}
with open("/etc/ccp/requests.json") as file:
    spec = json.load(file)
with open(f"{ACCOUNT}/token") as file:
    token = file.read().strip()
host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
host = f"[{host}]" if ":" in host else host
trust = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")
URL = f"https://{host}:{port}/api/v1/namespaces/{spec['namespace']}/secrets"
HEADERS = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


def read(name):
    """Values of a Secret by key; None where it is not there."""
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{URL}/{name}", headers=HEADERS), context=trust, timeout=30) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return None


def rotated(names, keep):
    """Fernet keys by index after a rotation of those of the first Secret that is there: key 0, which all know, becomes the primary; None where none is."""
    data = next((found for found in map(read, names) if found is not None), None)
    if data is None:
        return None
    keys = {int(index): base64.b64decode(value).decode() for index, value in data.items()}
    keys[max(keys) + 1] = keys.pop(0)
    keys = {index: keys[index] for index in sorted(keys)[-(keep - 1):]}
    return {"0": MAKE["fernet-key"](), **{str(index): value for index, value in keys.items()}}


for request in spec["secrets"]:
    previous = request.get("previous")
    values = rotated(**previous) if previous else None
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": request["name"], "labels": request["labels"]},
        "type": "Opaque",
        "stringData": values or {key: MAKE[kind]() for key, kind in request["keys"].items()},
    }
    call = urllib.request.Request(URL, data=json.dumps(body).encode(), headers=HEADERS)
    try:
        urllib.request.urlopen(call, context=trust, timeout=30).close()
        print("made", request["name"], *(["with new keys: no generation before it is there"] if previous and not values else []))
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
        print("kept", request["name"])
`;

/**
 * The Job that makes the site's Secrets inside the cluster, with its account and its script. Values never leave the cluster.
 * Raises `image-missing` where the set lacks the image it runs in.
 */
export function renderSecretsJob({ site, imageSet }: SiteInput, secrets: readonly SecretRequest[]): { foundation: KubernetesObject[]; job: KubernetesObject } {
  const built = imageSet.images.find(({ name }) => name === SECRETS_IMAGE);
  const image = site.external?.[SECRETS_IMAGE]?.reference ?? (built === undefined ? undefined : `${site.registry}/${SECRETS_IMAGE}@${built.digest}`);
  if (image === undefined) {
    throw new CcpError({
      code: 'image-missing',
      message: `Secrets are made in the image "${SECRETS_IMAGE}", which the image set does not have`,
      hint: `build it: ccp build ${SECRETS_IMAGE}`,
    });
  }
  const account = `ccp-${site.name}-secrets`;
  const common = { namespace: site.namespace, labels: { ...siteLabels(site), 'app.kubernetes.io/name': account } };
  const data = { 'make_secrets.py': SCRIPT, 'requests.json': requestsText(site, secrets) };
  const configMap = `${account}-${contentHash(data)}`;
  const pod = makingPod(site, { account, image, configMap });
  return {
    foundation: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, ...common }, automountServiceAccountToken: false },
      ...accessOf(account, common, secrets),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMap, ...common }, immutable: true, data },
    ],
    job: jobObject(site, { name: account, labels: { 'app.kubernetes.io/name': account }, pod, timeout: 600 }),
  };
}

/** What the script reads: the Secrets that are to be there, each with the labels it gets. */
function requestsText(site: Site, secrets: readonly SecretRequest[]): string {
  const labelled = secrets.map(({ name, instance, keys, previous }) => ({
    name,
    keys,
    ...(previous === undefined ? {} : { previous }),
    labels: { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/instance': instance },
  }));
  return JSON.stringify({ namespace: site.namespace, secrets: labelled }, null, 2);
}

/** The account's Role and its binding. */
function accessOf(
  account: string,
  common: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
  secrets: readonly SecretRequest[],
): KubernetesObject[] {
  const earlier = secrets.flatMap(({ previous }) => previous?.names ?? []);
  const reading = earlier.length === 0 ? [] : [{ apiGroups: [''], resources: ['secrets'], resourceNames: earlier, verbs: ['get'] }];
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: account, ...common },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }, ...reading],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: account, ...common },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: common.namespace }],
    },
  ];
}

function makingPod(site: Site, { account, image, configMap }: { readonly account: string; readonly image: string; readonly configMap: string }): PodSpec {
  const anyRole = [...new Set(Object.values(site.roles).flat())].sort();
  return {
    serviceAccountName: account,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: NOBODY, runAsGroup: NOBODY, fsGroup: NOBODY, seccompProfile: { type: 'RuntimeDefault' } },
    ...placement(anyRole),
    containers: [
      {
        name: 'make',
        image,
        command: ['python3', '-I', '/etc/ccp/make_secrets.py'],
        env: [],
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        volumeMounts: [{ name: 'script', mountPath: '/etc/ccp', readOnly: true }],
      },
    ],
    volumes: [{ name: 'script', configMap: { name: configMap, defaultMode: 0o444 } }],
  };
}
