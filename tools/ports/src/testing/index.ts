export { memoryMemo } from './memory-memo.ts';
