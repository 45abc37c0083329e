import type { Json } from '#core';
import type { KubernetesObject } from '#ports';
import specSchema from '../../schemas/release-spec.schema.json' with { type: 'json' };
import statusSchema from '../../schemas/release-status.schema.json' with { type: 'json' };
import { GROUP, RELEASE, SERVICE, VERSION } from './kinds.ts';

/** Maximum length of a site's name, as of a folder in deploy-specs. */
const LONGEST_NAME = 30;

const APP = {
  type: 'string',
  description: 'The only app of the site. It cannot be changed.',
  maxLength: 63,
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'app cannot be changed' }],
};

const column = (name: string, jsonPath: string, type = 'string', priority = 0): object => ({
  name,
  jsonPath,
  type,
  priority,
});
const ofCondition = (type: string, member: string): string =>
  `.status.conditions[?(@.type=="${type}")].${member}`;

/** The definitions of both kinds. The API server stores one version and refuses others. */
export function customResourceDefinitions(): readonly KubernetesObject[] {
  return [
    definition(RELEASE.kind, 'openstackreleases', 'osr', specSchema),
    definition(SERVICE.kind, 'openstackservices', 'oss', {
      ...specSchema,
      required: [...specSchema.required, 'app'],
      properties: { ...specSchema.properties, app: APP },
    }),
  ];
}

function definition(
  kind: string,
  plural: string,
  shortName: string,
  spec: object,
): KubernetesObject {
  const columns = [
    column('Ready', ofCondition('Ready', 'status')),
    column('Reason', ofCondition('Ready', 'reason')),
    column('Revision', '.status.revision', 'integer'),
    column('Upgrade', ofCondition('UpgradeAvailable', 'reason')),
    column('Age', '.metadata.creationTimestamp', 'date'),
    column('Message', ofCondition('Ready', 'message'), 'string', 1),
  ];
  const schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status: statusSchema,
    },
    'x-kubernetes-validations': [
      {
        rule: `self.metadata.name.size() <= ${LONGEST_NAME}`,
        message: `the name of a site has at most ${LONGEST_NAME} characters`,
      },
    ],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      labels: { 'app.kubernetes.io/name': 'ccp-operator', 'app.kubernetes.io/managed-by': 'ccp' },
    },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['ccp'],
      },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    } as unknown as Json,
  };
}
