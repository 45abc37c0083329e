import { afterAll, beforeAll, expect, test } from 'vitest';
import { ccp } from '../support/ccp.ts';
import { takeStore } from '../support/take-store.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';

// The four steps of images/README.md: a folder with image.yaml, a template, a lock, a build.
let workspace: TestWorkspace;

beforeAll(() => {
  workspace = testWorkspace();
  workspace.take('images/debian-base', 'images/series.yaml', 'images/_shared');
  takeStore(workspace.root);
});

afterAll(() => workspace.remove());

test('an image is added in four steps', async () => {
  workspace.write(
    'images/greeter/image.yaml',
    [
      'title: Greeter',
      'description: Says hello.',
      'parents: { base: debian-base }',
      'debian: { runtime: { on: base, packages: [hello] } }',
      'user: { name: greeter, uid: 42998, gid: 42998, home: /nonexistent }',
      'tests:',
      '  commands:',
      '    - { name: it greets, run: [hello], stdout: "Hello, world!" }',
      '',
    ].join('\n'),
  );
  workspace.write(
    'images/greeter/Dockerfile.njk',
    [
      '{% import "_shared/macros.njk" as ccp %}',
      '{{ ccp.declare(parents) }}',
      'FROM {{ parents.base }}',
      '{{ ccp.add_user(image.user) }}',
      '{{ ccp.debian_install(debian.runtime) }}',
      '{{ ccp.run_as(image.user) }}',
      'CMD ["hello"]',
      '',
    ].join('\n'),
  );
  const locked = await ccp(workspace.root, ['lock', 'greeter']);
  expect(locked, locked.stderr).toMatchObject({ exitCode: 0 });
  expect(locked.stdout).toContain('images/greeter/lock/2026.1.yaml: new');
  const built = await ccp(workspace.root, ['build', 'greeter', '--yes']);
  expect(built, built.stderr).toMatchObject({ exitCode: 0 });
  expect(built.stdout).toMatch(/^greeter +2026\.1-\S+ +built/m);
  expect(await ccp(workspace.root, ['run', 'greeter'])).toMatchObject({ exitCode: 0, stdout: 'Hello, world!\n' });
});
