import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ExternalImage } from '#definitions';
import { parseAppSpec, parseSite, readAppSpecs, readSite } from '#definitions/deploy';
import { podsOf } from '../index.ts';
import type { SiteInput } from '../model/types.ts';
import { expectGolden, yamlOf } from '../testing/golden.ts';
import { checkedObjects, renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const kolla = (name: string, more: Partial<ExternalImage> = {}): ExternalImage => ({
  reference: `quay.example.org/openstack.kolla/${name}@${digestOf(name)}`,
  runtime: 'kolla',
  ...more,
});
const EXTERNAL: Readonly<Record<string, ExternalImage>> = {
  'openstack-base': { ...kolla('openstack-base'), runtime: 'plain' },
  memcached: kolla('memcached'),
  mariadb: kolla('mariadb-server', { user: 'mysql' }),
  rabbitmq: kolla('rabbitmq'),
  keystone: kolla('keystone', {
    root: 'it gives its logs away before it becomes its own user',
    commands: {
      'api.api': [
        'uwsgi',
        '--http-socket=:5000',
        '--module=keystone.wsgi.api',
        '--processes=${settings.processes}',
      ],
    },
    bootstrap: { 'db-sync-expand': { KOLLA_BOOTSTRAP: '' } },
  }),
};

const SPECS = readAppSpecs(ROOT);

/** The example site with Kolla's images in place of all of ours. */
function kollaInput(): SiteInput {
  return {
    site: { ...readSite(ROOT, 'example'), external: EXTERNAL },
    appSpecs: SPECS,
    imageSet: { series: '2026.1', images: [] } as never,
  };
}

describe('a site with images of Kolla', () => {
  it('renders to the golden objects, from the same app specs', () => {
    expectGolden('kolla.yaml', yamlOf(checkedObjects(kollaInput())));
  });

  it('has every file copied and every command run by kolla_start, and satisfies the baseline profile', () => {
    const { foundation, steps, actions } = renderChecked(kollaInput());
    const pods = podsOf([
      ...steps.flatMap(({ objects }) => objects),
      ...actions.map(({ job }) => job),
    ]).filter(({ pod }) => !pod.serviceAccountName.includes('secrets'));
    const configs = new Map(
      foundation
        .filter(({ kind }) => kind === 'ConfigMap')
        .map(({ metadata, ...object }) => [
          metadata.name,
          object['data'] as Record<string, string> | undefined,
        ]),
    );
    for (const { pod } of pods.filter(
      ({ pod: { containers } }) => !containers[0]!.image.includes('openstack-base'),
    )) {
      const [container] = pod.containers;
      const config = JSON.parse(
        configs.get(
          pod.volumes.find(({ name }) => name === `kolla-${container!.name}`)!.configMap!.name,
        )!['config.json']!,
      ) as {
        command: string;
        config_files: { source: string; dest: string }[];
      };
      const mounted = container!.volumeMounts
        .map(({ mountPath }) => mountPath)
        .filter((path) => path.startsWith('/var/lib/kolla/config_files/'));
      expect(container!.command.at(-1)).toBe('kolla_start');
      expect(config.command).not.toBe('');
      expect(config.config_files.map(({ source }) => source).sort()).toEqual(
        mounted.filter((path) => !path.endsWith('/config.json')).sort(),
      );
    }
    expect(foundation[0]!.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'baseline',
    });
  });

  it('rolls the pods if only a command changes', () => {
    const names = (processes: number): string[] => {
      const input = kollaInput();
      const site = {
        ...input.site,
        apps: {
          ...input.site.apps,
          keystone: { ...input.site.apps['keystone'], settings: { processes } },
        },
      };
      return checkedObjects({ ...input, site }).map(
        ({ kind, metadata }) => `${kind} ${metadata.name}`,
      );
    };
    const before = names(2);
    expect(
      names(4)
        .filter((name) => !before.includes(name))
        .map((name) => name.replace(/-[0-9a-f]{10}$/, '-#')),
    ).toEqual(['ConfigMap keystone-api-api-kolla-#']);
  });

  it.each([
    [
      'a word with a blank',
      'command: [serve, "two words"]',
      '"two words" is not allowed in the command of a Kolla image: Kolla splits commands at spaces and expands no variables',
    ],
    [
      'what only the pod knows',
      'command: [serve, "${pod.name}"]',
      '"$(CCP_POD_NAME)" is not allowed in the command of a Kolla image: Kolla splits commands at spaces and expands no variables',
    ],
  ])('refuses %s in a command', (_, command, message) => {
    const input = siteInputs({ parseAppSpec, parseSite })('{ web: {} }', {
      web: appText('web').replace('command: [serve]', command),
    });
    expect(() =>
      renderChecked({ ...input, site: { ...input.site, external: { web: kolla('web') } } }),
    ).toThrow(expect.objectContaining({ code: 'kolla-command', message }));
  });

  it('refuses an image that no app runs, and one without a digest', () => {
    const input = siteInputs({ parseAppSpec, parseSite })('{ web: {} }', { web: appText('web') });
    expect(() =>
      renderChecked({ ...input, site: { ...input.site, external: { wbe: kolla('web') } } }),
    ).toThrow('no app of the site runs the image "wbe"');
    const text =
      'schema: 1.1.0\ncluster: { context: x }\nnamespace: x\nseries: "2026.1"\nregistry: r\nregion: R\nroles: { a: [b] }\nstorage: { default: s }\napps: { web: {} }\nexternal: { web: { reference: "quay.example.org/web:latest", runtime: kolla } }\n';
    expect(() => parseSite(text, 'site.yaml', 'x')).toThrow(
      'external.web.reference must be an image by digest: HOST/PATH@sha256:..., not "quay.example.org/web:latest"',
    );
  });
});
