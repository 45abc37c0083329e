/** A number with its noun: `1 image`, `2 images`; `plural` where an s does not make it. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
