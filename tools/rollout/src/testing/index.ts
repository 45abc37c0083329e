export { endState, killingCluster } from './killing-cluster.ts';
export { refTo, revisions } from './tiny-looks.ts';
export { tinyWorld, type TinyWorld } from './tiny-world.ts';
