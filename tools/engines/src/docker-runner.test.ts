import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect, it } from 'vitest';
import { dockerRunner } from './docker-runner.ts';

it('reports an engine that stops while a container runs', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'ccp-runner-')), 'engine.sock');
  const server = createServer((request, response) => {
    const answer = (value: unknown): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(value));
    if (request.url!.includes('/containers/json')) return answer([]);
    if (request.url!.includes('/containers/create')) return answer({ Id: 'abc' });
    server.close();
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const run = dockerRunner(new Docker({ socketPath }), `unix://${socketPath}`).run({
    image: 'x',
    command: ['id'],
    network: 'none',
  });
  await expect(run).rejects.toMatchObject({
    code: 'engine-unreachable',
    message: `the engine unix://${socketPath} does not respond: connect ENOENT ${socketPath}`,
    hint: 'start the engine, or use another one: --engine, `engines` in .ccp.yaml, or DOCKER_HOST',
  });
});
