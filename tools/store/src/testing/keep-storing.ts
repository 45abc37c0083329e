import { randomBytes } from 'node:crypto';
import { openStore } from '../index.ts';
import { fixtureTar } from './fixture-tar.ts';
import { pushAndSeal, testIdentity } from './push-image.ts';

/**
 * Stores images in the folder in the first argument until it is killed or fails; prints `ready`,
 * then a number per image. With `regular` as the second argument, layers have 600 kB and compress
 * very well; otherwise they have random content.
 */
const content =
  process.argv[3] === 'regular' ? 'x'.repeat(600_000) : randomBytes(300_000).toString('hex');
const store = await openStore({ folder: process.argv[2] ?? '' });
const tar = fixtureTar([{ name: 'bytes', type: 'file', content }]);
console.log('ready');
try {
  for (let round = 0; ; round += 1) {
    const identity = testIdentity('tiny', `${process.pid} ${round}`);
    await store.publish(await pushAndSeal(store, identity, [tar.fill(round % 250, 600, 640)]));
    console.log(round);
  }
} catch (thrown) {
  console.log(thrown instanceof Error ? thrown.message : thrown);
  console.log(`refused: ${store.refusal(testIdentity('tiny'))?.code}`);
  await store.close();
}
