import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { imageName } from '#core';
import { forSeries, readWorkspace, runMemo } from '#definitions';
import { seriesMembers } from '#graph';

const { images, series } = readWorkspace(
  fileURLToPath(new URL('../..', import.meta.url)),
  runMemo(),
);
/**
 * The images in all three series. They are listed one by one, since a new image may be in some
 * series only.
 */
const IN_EVERY_SERIES = [
  ...[
    'alertmanager',
    'blackbox-exporter',
    'debian-base',
    'entrypoint',
    'glance',
    'go-builder',
    'haproxy',
    'horizon',
    'keystone',
    'libvirt',
  ],
  ...[
    'mariadb',
    'memcached',
    'mysqld-exporter',
    'neutron',
    'node-exporter',
    'nova',
    'openstack-base',
    'openstack-builder',
    'openstackclient',
  ],
  ...[
    'openvswitch',
    'otel-collector',
    'ovn',
    'placement',
    'rabbitmq',
    'victoria-logs',
    'victoria-metrics',
  ],
];

it('has these images in every series', () => {
  const known = new Map(images.map((image) => [image.name, image]));
  const without = ['2026.1', '2025.2', 'master'].flatMap((name) => {
    const members = seriesMembers(
      known,
      series.find((each) => each.name === name)!,
    ).images;
    return IN_EVERY_SERIES.filter((image) => !members.has(imageName(image))).map(
      (image) => `${image} ${name}`,
    );
  });
  expect(without).toEqual([]);
});

it('locks packages in master for each stage with packages in a stable series', () => {
  const stages = images
    .filter(({ name }) => IN_EVERY_SERIES.includes(name))
    .flatMap((image) =>
      Object.entries(image.debian).map(([stage, { packages }]) => ({
        where: `${image.name} ${stage}`,
        count: (name: string) =>
          forSeries(
            packages,
            series.find((each) => each.name === name)!,
          ).length,
      })),
    );
  expect(
    stages.filter(({ count }) => count('master') !== count('2026.1')).map(({ where }) => where),
  ).toEqual([]);
});
