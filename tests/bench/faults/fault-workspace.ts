import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanDocument } from '#plan';
import { newKeyPair, parseImageSet, signerOf, type ImageSet, type PublicKey } from '#release';
import { connectRegistry, openContent } from '#store';
import type { Registry } from '#ports';
import { ccp, ccpJson, REPOSITORY, type CommandResult } from '../../helpers/ccp.ts';
import { startDebianRegistry, type DebianRegistry } from '../../helpers/e2e/debian-registry.ts';
import { testWorkspace, type TestWorkspace } from '../../helpers/workspace.ts';

const IMAGES = 12;

/** The images that a run built, and those that it pushed. */
export interface Done {
  readonly built: readonly string[];
  readonly pushed: readonly string[];
}

/** A workspace of 12 images, the half of them children, with an engine and a registry. */
export class FaultWorkspace {
  readonly engine: string;
  readonly debian: DebianRegistry;
  readonly registry: Registry;
  readonly keys: readonly PublicKey[];
  readonly #workspace: TestWorkspace;
  readonly #key: string;

  private constructor(
    engine: string,
    debian: DebianRegistry,
    registry: Registry,
    key: { readonly file: string; readonly public: PublicKey },
  ) {
    this.engine = engine;
    this.debian = debian;
    this.registry = registry;
    this.keys = [key.public];
    this.#key = key.file;
    this.#workspace = testWorkspace();
  }

  static async open(folder: string, engine: string): Promise<FaultWorkspace> {
    const debian = await startDebianRegistry(join(folder, 'registry'));
    const pair = newKeyPair('ed25519', undefined);
    const file = join(folder, 'release.key');
    writeFileSync(file, pair.privateKey, { mode: 0o600 });
    const registry = await connectRegistry({ host: debian.address });
    const key = { file, public: signerOf(pair.privateKey, 'key', undefined).key };
    const opened = new FaultWorkspace(engine, debian, registry, key);
    for (let number = 0; number < IMAGES; number += 1) {
      const [name, parent] = [`image-${number}`, `image-${number - IMAGES / 2}`];
      const isChild = number >= IMAGES / 2;
      opened.#workspace.write(
        `images/${name}/image.yaml`,
        `title: ${name}\ndescription: An image.\nroot: a test\n${isChild ? `parents: { base: ${parent} }\n` : ''}`,
      );
      opened.#workspace.write(
        `images/${name}/Dockerfile.njk`,
        isChild
          ? 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /\n'
          : 'FROM scratch\nCOPY files /\n',
      );
    }
    opened.change(1);
    const { exitCode, stderr } = await ccp(opened.root, ['lock']);
    if (exitCode !== 0) throw new Error(stderr);
    return opened;
  }

  get root(): string {
    return this.#workspace.root;
  }

  /** Gives each image a new file of random bytes. */
  change(bytes: number): void {
    for (let number = 0; number < IMAGES; number += 1) {
      const content = `${randomUUID()}\n${randomBytes(bytes).toString('base64')}\n`;
      this.#workspace.write(`images/image-${number}/files/image-${number}`, content);
    }
  }

  /** Starts a build and a publish as one group of processes. */
  start(prefix: string): ChildProcess {
    const quoted = (args: readonly string[]): string =>
      [join(REPOSITORY, 'ccp'), '-q', '-C', this.root, ...args].map((arg) => `'${arg}'`).join(' ');
    const script = `${quoted(this.#build)} && ${quoted(this.#publish(prefix))}`;
    return spawn('sh', ['-c', script], { stdio: 'ignore', detached: true });
  }

  async build(engine = this.engine): Promise<CommandResult> {
    return ccp(this.root, ['build', '--offline', '--engine', engine]);
  }

  async publish(place: string): Promise<CommandResult> {
    return ccp(this.root, ['publish', '--to', place, '--key', this.#key]);
  }

  /** Builds and publishes; throws an error if one of them fails. */
  async finish(prefix: string): Promise<Done> {
    const built = await ccpJson<BuildAnswer>(this.root, this.#build);
    const { pushed } = await ccpJson<{ readonly pushed: readonly string[] }>(
      this.root,
      this.#publish(prefix),
    );
    const outcomes = built.result?.outcomes ?? [];
    return {
      built: outcomes.flatMap(({ image, type }) => (type === 'built' ? [image] : [])),
      pushed,
    };
  }

  /** Images with a name in the store, after every byte of them was compared with its digest. */
  async stored(): Promise<readonly string[]> {
    const { images } = await ccpJson<PlanDocument>(this.root, ['plan']);
    const content = await openContent(join(this.root, '.ccp/store'));
    const named: string[] = [];
    for (const { image, digest } of images) {
      if (digest === undefined) continue;
      named.push(image);
      const text = Buffer.from(content.document(digest)).toString();
      for (const [blob] of text.matchAll(/sha256:[0-9a-f]{64}/g))
        for await (const _ of content.blob(blob as typeof digest));
    }
    return named;
  }

  /** Names in the registry of images of the plan. */
  async tagged(prefix: string): Promise<ReadonlyMap<string, string>> {
    const { images } = await ccpJson<PlanDocument>(this.root, ['plan']);
    const found = new Map<string, string>();
    for (const { image, version } of images) {
      const digest = await this.registry.manifestDigest(`${prefix}/${image}`, version);
      if (digest !== undefined) found.set(image, digest);
    }
    return found;
  }

  set(): ImageSet {
    const file = join(this.root, '.ccp/sets/2026.1.json');
    return parseImageSet(readFileSync(file, 'utf8'), file);
  }

  async close(): Promise<void> {
    await this.debian.close();
    this.#workspace.remove();
  }

  get #build(): readonly string[] {
    return ['build', '--offline', '--engine', this.engine];
  }

  #publish(prefix: string): readonly string[] {
    return ['publish', '--to', `${this.debian.address}/${prefix}`, '--key', this.#key];
  }
}

interface BuildAnswer {
  readonly result?: {
    readonly outcomes: readonly { readonly image: string; readonly type: string }[];
  };
}
