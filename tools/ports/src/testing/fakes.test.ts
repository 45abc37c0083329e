import { digestOf } from '#core';
import {
  containerRunnerSuite,
  fakeEngine,
  fakeRunner,
  fakeStore,
  imageEngineSuite,
  imageStoreSuite,
  type FakeRegistry,
} from './index.ts';

const close = async (): Promise<void> => undefined;

imageEngineSuite('the fake', async () => ({
  engine: fakeEngine(),
  files: {},
  repository: '127.0.0.1:5000/suite',
  close,
}));
containerRunnerSuite('the fake', async () => ({ runner: fakeRunner(), image: 'fake', close }));
imageStoreSuite('the fake', async () => {
  const registry: FakeRegistry = new Map();
  const store = fakeStore(registry);
  return {
    store,
    push: async (reference, files) => {
      const content = JSON.stringify(files);
      registry.set(reference, content);
      return digestOf(content);
    },
    damage: async ({ image, digest }) => void registry.set(store.reference(image, digest), 'other'),
    reopen: async () => store,
    close,
  };
});
