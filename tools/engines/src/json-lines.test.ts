import { expect, it } from 'vitest';
import { readJsonLines } from './json-lines.ts';

async function* streamOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

it('says where to look if another server answers', async () => {
  await expect(readJsonLines(streamOf('<html>\n')).next()).rejects.toMatchObject({
    code: 'engine-invalid',
    message: 'the engine sent a line that is not a JSON object: "<html>"',
    hint: 'check that a Docker engine listens at this address (DOCKER_HOST, "engines" in .ccp.yaml), and not a proxy or another server',
  });
});
