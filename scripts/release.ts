// `npm run release [-- --tested] [directory]`: makes what a release consists of, in one directory: the npm package, an SBOM, the
// notes and checksums. It changes nothing else: it prints how to tag and publish. `--tested` skips the tests where they have run.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SCHEMA } from '../src/store.ts'
import { notesOf, type Section, sectionsOf } from './changelog.ts'
import { pack } from './pack.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })

const MAX_NAMED = 5

/** What keeps this commit from being released. */
export function faultsOf(sections: readonly Section[], manifest: string, lock: string): string[] {
  const { version } = JSON.parse(manifest) as { version: string }
  const [newest] = sections
  const locked = JSON.parse(lock) as { version: string }
  return [
    locked.version !== version && `package-lock.json is of version ${locked.version}: npm install`,
    newest?.version !== version && `CHANGELOG.md does not begin with version ${version}`,
    !newest?.date && `CHANGELOG.md names no day for version ${newest?.version}`,
    newest?.schema !== SCHEMA.newest &&
      `CHANGELOG.md has no line "Schema ${SCHEMA.newest}." below version ${newest?.version}`,
  ].filter((fault) => fault !== false)
}

async function release(directory: string, isTested: boolean): Promise<void> {
  const sections = sectionsOf(read('CHANGELOG.md'))
  const changed = run('git', 'status', '--porcelain').split('\n').filter(Boolean)
  const faults = [
    ...faultsOf(sections, read('package.json'), read('package-lock.json')),
    ...(changed.length > 0 ? [`not committed: ${changed.slice(0, MAX_NAMED).join(', ')}`] : []),
  ]
  if (faults.length > 0) throw new Error(faults.join('\n'))
  // Other runs have one engine a day.
  const env = { ...process.env, TEST_ENGINES: 'both' }
  if (!isTested) execFileSync('npm', ['test'], { cwd: root, stdio: 'inherit', env })
  mkdirSync(directory, { recursive: true })
  await pack(directory)
  const sbom = run('npm', 'sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only')
  writeFileSync(join(directory, 'sbom.cdx.json'), sbom)
  writeFileSync(join(directory, 'NOTES.md'), notesOf(sections, SCHEMA.migrations))
  writeFileSync(join(directory, 'SHA256SUMS'), sumsOf(directory))
  const { version } = sections[0]!
  console.log(`${directory} holds version ${version}. Next:
  git tag -a v${version} -m "Rookery ${version}" && git push origin v${version}
  npm publish ${directory}/rookery-${version}.tgz`)
}

const sumsOf = (directory: string): string =>
  readdirSync(directory)
    .filter((name) => name !== 'SHA256SUMS')
    .sort()
    .map((name) => `${sha256(join(directory, name))}  ${name}\n`)
    .join('')

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory = 'release'] = process.argv.slice(2).filter((arg) => arg !== '--tested')
  await release(resolve(directory), process.argv.includes('--tested')).catch((error: Error) => {
    console.error(`release: ${error.message}`)
    process.exit(1)
  })
}
