import { expect, it } from 'vitest';
import { DEFAULT_BODY, lockedDeb, fetchFixture, lockedWheel } from '../testing/fetch-fixture.ts';

const { serve, run } = fetchFixture();
const SILENCE_MS = 300;
/** For mirrors that work: a busy machine may not run this process for a second. */
const BUSY_SILENCE_MS = 2_000;

it('gives up a stalled mirror after three attempts, and names it', async () => {
  const server = await serve({}, () => true);
  const fetching = run([lockedDeb('a.deb')], [server.url], {
    silenceMs: SILENCE_MS,
    retry: { attempts: 6, firstMs: 1 },
  });
  await expect(fetching).rejects.toMatchObject({
    code: 'mirror-unreachable',
    message: `the mirror ${server.url} cannot be reached: it sent nothing for 0.3 s`,
  });
  expect(server.requests).toHaveLength(3);
  const index = await serve({}, () => true);
  await expect(
    run([lockedWheel('a.whl')], [index.url], { silenceMs: SILENCE_MS }),
  ).rejects.toMatchObject({ code: 'mirror-unreachable' });
  expect(index.requests).toHaveLength(3);
});

it('gives up a mirror that sends single bytes', async () => {
  const server = await serve({}, (_, response) => {
    response.writeHead(200, { 'content-length': DEFAULT_BODY.length });
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
    return true;
  });
  await expect(
    run([lockedDeb('a.deb')], [server.url], { silenceMs: SILENCE_MS }),
  ).rejects.toMatchObject({
    message: `the mirror ${server.url} cannot be reached: it sent less than 100 bytes per second`,
  });
  expect(server.requests).toHaveLength(3);
});

it('switches to another mirror immediately, and tries the stalled mirror last from then on', async () => {
  const silent = await serve({}, () => true);
  const good = await serve({ '/pool/main/a.deb': DEFAULT_BODY, '/pool/main/b.deb': 'b' });
  await run([lockedDeb('a.deb'), lockedDeb('b.deb', 'b')], [silent.url, good.url], {
    silenceMs: BUSY_SILENCE_MS,
    concurrency: 1,
  });
  expect(silent.requests).toEqual(['GET /pool/main/a.deb']);
});

it('continues with a slow mirror that makes progress', async () => {
  const server = await serve({}, (_, response) => {
    response.writeHead(200, { 'content-length': DEFAULT_BODY.length });
    let sent = 0;
    const drip = setInterval(() => {
      response.write(DEFAULT_BODY.slice(sent, sent + 4_000));
      sent += 4_000;
      if (sent >= DEFAULT_BODY.length) response.end();
    }, 100);
    response.on('close', () => clearInterval(drip));
    return true;
  });
  await run([lockedDeb('a.deb')], [server.url], { silenceMs: BUSY_SILENCE_MS });
  expect(server.requests).toHaveLength(1);
});
