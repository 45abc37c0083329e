import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseImageSet } from '#release';
import { ccp, REPOSITORY } from '../support/ccp.ts';
import { measure, median, report } from './measure.ts';

// Sizes of the built set against the aims, and what a second `ccp build` costs. Fails where an aim is missed.
const SECOND_BUILD_MS = 300;
const KEYSTONE_MB = 260;

const IMAGES = ['keystone', 'mariadb', 'memcached', 'rabbitmq'];
const built = await ccp(REPOSITORY, ['build', ...IMAGES, '--yes']);
if (built.exitCode !== 0) throw new Error(built.stderr);
const file = join(REPOSITORY, '.ccp/sets/2026.1.json');
const { images } = parseImageSet(readFileSync(file, 'utf8'), file);
const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
const rows = images.map(({ name, size, compressedSize, shipped }) => ({ image: name, unpacked: megabytes(size), compressed: megabytes(compressedSize), shipped }));
for (const row of rows) process.stdout.write(`${row.image.padEnd(20)} ${String(row.unpacked).padStart(7)} MB unpacked ${String(row.compressed).padStart(7)} MB compressed${row.shipped ? '' : '  (never shipped)'}\n`);
const keystone = rows.find(({ image }) => image === 'keystone')?.unpacked ?? Infinity;
const second = median(measure([join(REPOSITORY, 'ccp'), 'build', ...IMAGES], REPOSITORY, 9).map(({ milliseconds }) => milliseconds));
process.stdout.write(`keystone with all its layers ${keystone} MB (at most ${KEYSTONE_MB})\n`);
process.stdout.write(`second build ${second.toFixed(0)} ms (at most ${SECOND_BUILD_MS})\n`);
report('build', { rows, keystone, secondBuildMilliseconds: Math.round(second) });
process.exitCode = keystone <= KEYSTONE_MB && second <= SECOND_BUILD_MS ? 0 : 1;
