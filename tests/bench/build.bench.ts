import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseImageSet } from '#release';
import { ccp, REPOSITORY } from '../support/ccp.ts';
import { measure, median, report } from './measure.ts';

// Sizes of the built set against their budgets, and what a second `ccp build` costs. The rival figure is the size of Kolla's
// Debian base image as its documentation and registry give it: it cannot be pulled without internet, so it is a constant.
const KOLLA_BASE_MB = 934;
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
const base = rows.find(({ image }) => image === 'debian-base')?.unpacked ?? Infinity;
const second = median(measure([join(REPOSITORY, 'ccp'), 'build', ...IMAGES], REPOSITORY, 9).map(({ milliseconds }) => milliseconds));
process.stdout.write(`keystone with all its layers ${keystone} MB (at most ${KEYSTONE_MB}) | debian-base ${base} MB, Kolla's base ${KOLLA_BASE_MB} MB (${(KOLLA_BASE_MB / base).toFixed(1)} times)\n`);
process.stdout.write(`second build ${second.toFixed(0)} ms (at most ${SECOND_BUILD_MS})\n`);
report('build', { rows, keystone, secondBuildMilliseconds: Math.round(second), kollaBaseMegabytes: KOLLA_BASE_MB });
