// The bundled program for tests and the bench. Its start takes half of the processor time of a start from the sources.

import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundle, bundleBenchServer } from './bundle.ts'

/** Files that the bundle reads from the parent of its directory. */
const BESIDE = ['node_modules', 'web', 'contracts', 'proto', 'package.json']

/** What a bundle is made from besides the sources: how it is bundled, and the packages. */
const BUNDLED_BY = ['scripts/bundle.ts', 'scripts/bundled-program.ts', 'package-lock.json']
/** Bundles that are kept: of a few branches that somebody works on. One takes about 10 MB, with its compiled code 30. */
const MAX_KEPT = 4
/** One that was used so lately may belong to a run that goes on, which ends after 80 minutes. */
const IN_USE_MS = 3 * 3_600_000

/**
 * The path of the program's main file, from a bundle that is kept by the hash of what it was made from. A run whose sources
 * have changed writes another one.
 */
export async function bundleProgram(root: string): Promise<string> {
  const sources = globSync('**/*.{ts,js,json}', { cwd: join(root, 'src') })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
  const bundles = join(root, 'node_modules', '.cache', 'programs')
  const kept = join(bundles, hashOf(root, sources))
  mkdirSync(bundles, { recursive: true })
  if (!existsSync(kept)) await writeBundle(root, sources, kept)
  utimesSync(kept, new Date(), new Date())
  removeOld(bundles)
  return join(kept, 'dist', 'main.js')
}

function hashOf(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  const files = [...sources.map((file) => join('src', file)), ...BUNDLED_BY]
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** It appears at once and whole: another run may write the same. */
async function writeBundle(
  root: string,
  sources: readonly string[],
  directory: string,
): Promise<void> {
  const unfinished = `${directory}-of-${process.pid}`
  linkBeside(root, unfinished)
  await bundle(join(unfinished, 'dist'), sources)
  try {
    renameSync(unfinished, directory)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
}

function removeOld(bundles: string): void {
  const paths = readdirSync(bundles).map((name) => join(bundles, name))
  const byAge = paths
    .map((path) => ({ path, usedMs: statSync(path).mtimeMs }))
    .sort((a, b) => b.usedMs - a.usedMs)
  for (const { path, usedMs } of byAge.slice(MAX_KEPT)) {
    if (Date.now() - usedMs > IN_USE_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** Writes the server that `npm run bench` measures below a directory and returns the path of its main file. */
export async function bundleBench(root: string, directory: string): Promise<string> {
  linkBeside(root, directory)
  await bundleBenchServer(join(directory, 'dist'))
  return join(directory, 'dist', 'server.js')
}

function linkBeside(root: string, directory: string): void {
  mkdirSync(directory)
  for (const name of BESIDE) symlinkSync(join(root, name), join(directory, name))
}
