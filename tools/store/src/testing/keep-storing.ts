import { randomBytes } from 'node:crypto';
import { openStore } from '../index.ts';
import { fixtureTar } from './fixture-tar.ts';
import { pushImage, testIdentity } from './push-image.ts';

/**
 * Stores images into the folder named by the first argument until it is killed or fails; says `ready`, then a number each.
 * A second argument `regular` makes layers of 600 kB that compress to next to nothing; else nothing of them does.
 */
const content = process.argv[3] === 'regular' ? 'x'.repeat(600_000) : randomBytes(300_000).toString('hex');
const store = await openStore({ folder: process.argv[2] ?? '' });
const tar = fixtureTar([{ name: 'bytes', type: 'file', content }]);
console.log('ready');
try {
  for (let round = 0; ; round += 1) {
    const identity = testIdentity('tiny', `${process.pid} ${round}`);
    await pushImage(store, identity, [tar.fill(round % 250, 600, 640)]);
    await store.publish(await store.seal(identity));
    console.log(round);
  }
} catch (thrown) {
  console.log(thrown instanceof Error ? thrown.message : thrown);
  console.log(`refused: ${store.refusal(testIdentity('tiny'))?.code}`);
  await store.close();
}
