import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { readWorkspace, type ImageUser } from '#definitions';
import { memoryMemo } from '#ports/testing';
import { REPOSITORY } from '../ccp.ts';
import { linkStore } from '../link-store.ts';
import { kollaSource } from './kolla-source.ts';

/**
 * Folders of Kolla's image definitions for an image of this repository, the base image's first.
 * Where Kolla has an image for each program of a service, it is the image with the API.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  keystone: ['keystone/keystone-base', 'keystone/keystone'],
  mariadb: ['mariadb-server'],
  rabbitmq: ['rabbitmq'],
  memcached: ['memcached'],
  glance: ['glance/glance-base', 'glance/glance-api'],
  placement: ['placement/placement-base', 'placement/placement-api'],
  nova: ['nova/nova-base', 'nova/nova-api'],
  neutron: ['neutron/neutron-base', 'neutron/neutron-server'],
  horizon: ['horizon'],
};

/**
 * Creates a workspace over this repository with an image `kolla-IMAGE` for each image: its base is
 * that image, with Kolla's own scripts, accounts and folders of the same series. The caller
 * removes the folder.
 */
export function kollaWorkspace(series: string, images: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'ccp-kolla-'));
  writeFileSync(join(root, 'overlay.yaml'), `base: ${REPOSITORY}\n`);
  writeFileSync(join(root, '.ccp.yaml'), 'origin: archive\n');
  const source = kollaSource(series);
  const { images: definitions } = readWorkspace(REPOSITORY, memoryMemo());
  for (const image of images) {
    const folder = join(root, 'images', `kolla-${image}`);
    for (const from of ['base', ...FOLDERS[image]!]) copyScripts(join(source, from), folder);
    const { user } = definitions.find(({ name }) => name === image)!;
    writeFileSync(join(folder, 'image.yaml'), definition(image, series, user!));
    writeFileSync(join(folder, 'Dockerfile.njk'), template(user!.name));
  }
  linkStore(root);
  return root;
}

/** Copies the scripts and sudo rules that a Dockerfile of Kolla copies. */
function copyScripts(from: string, folder: string): void {
  const text = readFileSync(join(from, 'Dockerfile.j2'), 'utf8');
  for (const [, sources, target] of text.matchAll(
    /^COPY ([^{\n]+?) (\/(?:usr\/local|etc\/sudoers)\S*)$/gm,
  ))
    for (const source of sources!.split(' ')) {
      const path = target!.endsWith('/') ? `${target}${basename(source)}` : target!;
      const file = join(folder, 'files', path);
      if (!existsSync(join(from, source))) continue;
      mkdirSync(dirname(file), { recursive: true });
      copyFileSync(join(from, source), file);
    }
  const start = join(folder, 'files/usr/local/bin/kolla_extend_start');
  mkdirSync(dirname(start), { recursive: true });
  if (!existsSync(start)) writeFileSync(start, '');
}

function definition(image: string, series: string, user: ImageUser): string {
  return `
title: Kolla's contract for ${image}
description: The image ${image} with the scripts of Kolla.
parents: { base: ${image} }
series: ["${series}"]
debian: { runtime: { on: base, packages: [ca-certificates, dumb-init, python3, sudo] } }
user: ${JSON.stringify(user)}
tests:
  setuid: [/usr/bin/sudo]
  commands:
    - { name: its start script exists, run: [test, -x, /usr/local/bin/kolla_start] }
`;
}

/** Adds the files and users of Kolla's base image to an image of this repository. */
function template(user: string): string {
  return `{% import "_shared/macros.njk" as ccp %}
{{ ccp.declare(parents) }}
FROM {{ parents.base }}
USER root
{{ ccp.debian_install(debian.runtime) }}
COPY files/ /
RUN chmod 755 /usr/local/bin/kolla_*; \\
    chmod 440 /etc/sudoers /etc/sudoers.d/*; chmod u+s /usr/bin/sudo; \\
    echo 'kolla:x:42400:${user}' >> /etc/group; echo '${user}:!::0:99999:7:::' >> /etc/shadow; \\
    mkdir -p /var/lib/kolla/config_files /var/log/kolla; \\
    chgrp kolla /var/log/kolla; chmod 775 /var/log/kolla; \\
    if [ -d /opt/openstack ]; then ln -s /opt/openstack /var/lib/kolla/venv; fi
ENV KOLLA_BASE_DISTRO=debian KOLLA_BASE_ARCH=x86_64
{{ ccp.run_as(image.user) }}
`;
}
