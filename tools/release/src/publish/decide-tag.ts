import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { CcpError, digestOf, type Digest } from '#core';
import type { Registry } from '#ports';
import { MANIFEST_TYPE } from '../oci.ts';
import { readBack } from './place.ts';

/** Pause between two looks at the claims of other runs, in milliseconds. */
export const POLL_MS = 500;
/** Looks at a claim that does not change, before its run is presumed killed. */
export const DEAD_POLLS = 12;

/** Waits between two looks. */
export type Sleep = (ms: number) => Promise<unknown>;

export interface Decision {
  readonly registry: Registry;
  readonly repository: string;
  /** The tag that runs want to write. */
  readonly tag: string;
  /** This run's manifest, which the registry has. */
  readonly manifest: Uint8Array;
  /** A timer by default. */
  readonly sleep?: Sleep;
}

/**
 * The digest that every run agrees on for a tag, at any speed of runs and registry: Paxos with tags
 * as its registers (Gafni and Lamport, Disk Paxos, with one disk). A run claims a ballot by the tag
 * `claim-TAG-MARK.NUMBER`. If it sees no higher ballot, it accepts the manifest of the highest
 * accepted ballot, or else its own, by `accepted-TAG-MARK.NUMBER`. The manifest is decided if it
 * still sees no higher ballot. Time decides only how long a run waits for a higher ballot. The tag
 * must be written by nobody who did not ask here.
 */
export async function decideTag(decision: Decision): Promise<Digest> {
  const { registry, repository, tag, manifest, sleep = setTimeout } = decision;
  const mark = randomBytes(16).toString('hex');
  const own = digestOf(manifest);
  const write = async (kind: Kind, number: number, bytes: Uint8Array): Promise<Ballots> => {
    const name = `${kind}-${tag}-${mark}.${number}`;
    await registry.writeManifest(repository, name, MANIFEST_TYPE, bytes);
    return listBallots(decision, name);
  };
  const before = await registry.manifestDigest(repository, tag);
  if (before !== undefined) return before;
  let number = 1;
  let waitsFor = '';
  let polls = 0;
  let ballots = await write('claim', number, manifest);
  for (;;) {
    const { highest, accepted } = ballots;
    if (highest.mark === mark) {
      const value = accepted === undefined ? own : await digestOfTag(decision, accepted.name);
      ballots = await write('accepted', number, await manifestOf(decision, value));
      if (ballots.highest.mark === mark) return value;
      continue;
    }
    const tagged = await registry.manifestDigest(repository, tag);
    if (tagged !== undefined) return tagged;
    polls = waitsFor === highest.name ? polls + 1 : 0;
    waitsFor = highest.name;
    if (polls < DEAD_POLLS) {
      await sleep(POLL_MS);
      ballots = await listBallots(decision, highest.name);
    } else {
      number = highest.number + 1;
      ballots = await write('claim', number, manifest);
    }
  }
}

/** Writes a tag once: if runs with different manifests write it, all of them get one digest. */
export async function writeTagOnce(decision: Decision): Promise<Digest> {
  const { registry, repository, tag } = decision;
  const digest = await decideTag(decision);
  const found = async (): Promise<Digest | undefined> => registry.manifestDigest(repository, tag);
  if ((await found()) === digest) return digest;
  try {
    const bytes = await manifestOf(decision, digest);
    await registry.writeManifest(repository, tag, MANIFEST_TYPE, bytes);
  } catch (thrown) {
    // A registry with immutable tags refuses the tag if another run was first.
    if ((await found()) !== digest) throw thrown;
  }
  await readBack(registry, repository, tag, digest);
  return digest;
}

type Kind = 'claim' | 'accepted';

interface Ballot {
  /** The tag. */
  readonly name: string;
  readonly mark: string;
  readonly number: number;
}

interface Ballots {
  readonly highest: Ballot;
  readonly accepted: Ballot | undefined;
}

/** The highest claimed ballot and the highest accepted one; `written` must be in the list. */
async function listBallots(
  { registry, repository, tag }: Decision,
  written: string,
): Promise<Ballots> {
  const tags = await registry.tags(repository);
  const highest = highestOf(tags, `claim-${tag}-`);
  if (highest === undefined || !tags.includes(written))
    return lost(registry, `the list of tags of ${repository}`, written);
  return { highest, accepted: highestOf(tags, `accepted-${tag}-`) };
}

/** The highest number; of equal numbers, the lowest mark. */
function highestOf(tags: readonly string[], prefix: string): Ballot | undefined {
  let highest: Ballot | undefined;
  for (const name of tags) {
    if (!name.startsWith(prefix)) continue;
    const [, mark, digits] = BALLOT.exec(name.slice(prefix.length)) ?? [];
    if (mark === undefined) continue;
    const number = Number(digits);
    if (
      highest === undefined ||
      number > highest.number ||
      (number === highest.number && mark < highest.mark)
    )
      highest = { name, mark, number };
  }
  return highest;
}

const BALLOT = /^([0-9a-f]{32})\.([1-9]\d{0,8})$/;

async function digestOfTag({ registry, repository }: Decision, name: string): Promise<Digest> {
  return (await registry.manifestDigest(repository, name)) ?? lost(registry, repository, name);
}

async function manifestOf(decision: Decision, digest: Digest): Promise<Uint8Array> {
  const { registry, repository, manifest } = decision;
  if (digestOf(manifest) === digest) return manifest;
  const found = await registry.readManifest(repository, digest);
  return found?.bytes ?? lost(registry, repository, digest);
}

function lost({ host }: Registry, where: string, name: string): never {
  throw new CcpError({
    code: 'publish-lost',
    message: `${host}: ${name} was written to the registry, but ${where} does not have it`,
    hint: 'run the command again; if that does not help, check the registry and other writers',
  });
}
