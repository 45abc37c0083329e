import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unpackPackages } from '../helpers/debian/unpack-packages.ts';
import { startDebianRegistry, type DebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

// The signature policy of podman, CRI-O and skopeo, which share the library containers/image. apt
// downloads skopeo of trixie, since Debian's packages of bookworm refuse every policy of this type.
let test: PublishingTest;
let debian: DebianRegistry;
let builder: TestWorkspace;
let image: string;

beforeAll(async () => {
  test = await publishingTest();
  unpackPackages('trixie', ['skopeo'], join(test.folder, 'skopeo'));
  debian = await startDebianRegistry(join(test.folder, 'debian'));
  builder = await test.workspace();
  await test.build(builder);
  for (const name of ['release', 'other']) await test.run(builder, 'keygen', keyFile(name));
  const place = `${debian.address}/ccp`;
  const to = ['--to', place, '--key', keyFile('release')];
  const { exitCode, stderr } = await test.run(builder, 'publish', ...to);
  expect(exitCode, stderr).toBe(0);
  const plan = await test.run(builder, 'plan', '--json');
  const { images } = JSON.parse(plan.stdout) as { images: readonly { version: string }[] };
  image = `${place}/base:${images[0]!.version}`;
});
afterAll(async () => {
  await debian?.close();
  await test?.close();
});

const keyFile = (name: string): string => join(test.folder, `${name}.key`);

/** Copies an image by a policy that requires signatures of a key in one repository. */
function copy(key: string): { readonly status: number | null; readonly stderr: string } {
  const folder = join(test.folder, `copy-${key}`);
  const registries = join(folder, 'registries.d');
  mkdirSync(registries, { recursive: true });
  const policy = join(folder, 'policy.json');
  const scope = `${debian.address}/ccp`;
  writeFileSync(
    policy,
    JSON.stringify({
      default: [{ type: 'reject' }],
      transports: {
        docker: {
          [scope]: [
            {
              type: 'sigstoreSigned',
              keyPath: `${keyFile(key)}.pub`,
              signedIdentity: { type: 'matchRepository' },
            },
          ],
        },
      },
    }),
  );
  writeFileSync(
    join(registries, 'ccp.yaml'),
    `docker:\n  ${debian.address}:\n    use-sigstore-attachments: true\n`,
  );
  const options = ['--policy', policy, '--registries.d', registries];
  const from = ['--src-tls-verify=false', `docker://${image}`, `dir:${join(folder, 'image')}`];
  // The libraries of the release, since those of this machine may be older.
  const root = join(test.folder, 'skopeo/root');
  const loader = join(root, 'lib64/ld-linux-x86-64.so.2');
  const libraries = ['--library-path', join(root, 'usr/lib/x86_64-linux-gnu')];
  const program = [...libraries, join(root, 'usr/bin/skopeo')];
  return spawnSync(loader, [...program, ...options, 'copy', ...from], { encoding: 'utf8' });
}

it('copies an image whose signature the policy requires', () => {
  const { status, stderr } = copy('release');
  expect(status, stderr).toBe(0);
});

it('refuses an image that another key signed', () => {
  const { status, stderr } = copy('other');
  expect(status).toBe(1);
  expect(stderr).toMatch(/Source image rejected: .*signature/);
});
