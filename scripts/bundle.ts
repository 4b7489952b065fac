// Bundles the program with its packages. A start reads some dozen files instead of 2,400, and an installation has three
// packages instead of 170.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
/** They load binaries from their own directories. */
export const SEPARATE_PACKAGES = ['wasm-vips', 'sodium-native', 'tiny-secp256k1']
/** Optional packages of our dependencies that are not installed. */
const ABSENT = ['pg-native']
/** Groups of entries with separate chunks: the client library and the Node 20 entries share none with the program. */
const CLIENT = ['client/index.ts']
const TESTING = ['testing/index.ts', 'runtime.ts']
const GROUPS = [CLIENT, TESTING, ['main.ts', 'index.ts', '**/*-thread.ts']] as const
/** What other projects load is there for `require`, too: jest and many older projects have no other way. */
const FOR_REQUIRE = [CLIENT, TESTING]
/** Written beside the directory of the bundle. */
export const LICENSES = 'THIRD-PARTY-LICENSES.txt'
/** A file that a source refers to by a relative path. */
const FILE_URL = /new URL\('(\.{1,2}\/[\w./-]+)', import\.meta\.url\)/g
const LICENSE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** Writes the program into a directory, and the licenses of the bundled packages into a file beside it. */
export async function bundle(directory: string, sources: readonly string[]): Promise<void> {
  const packages = new Set<string>()
  for (const group of GROUPS) {
    const chunks = await write(directory, filesOf(group, sources))
    for (const { moduleIds } of chunks) {
      for (const id of moduleIds) {
        const path = packageOf(id)
        if (path !== undefined) packages.add(path)
      }
    }
  }
  for (const group of FOR_REQUIRE) await write(directory, group, 'cjs')
  writeFileSync(join(directory, '..', LICENSES), licensesOf([...packages].sort()))
}

/** Writes the bundle of the server that `npm run bench` measures. */
export async function bundleBenchServer(directory: string): Promise<void> {
  const threads = globSync(['**/*-thread.ts', '../bench/*-thread.ts'], { cwd: src })
  await write(directory, ['../bench/server.ts', ...threads])
}

const filesOf = (group: readonly string[], sources: readonly string[]): string[] =>
  group.flatMap((name) =>
    name.startsWith('**') ? sources.filter((file) => file.endsWith('-thread.ts')) : [name],
  )

async function write(
  directory: string,
  files: readonly string[],
  format: 'esm' | 'cjs' = 'esm',
): Promise<OutputChunk[]> {
  const end = format === 'cjs' ? 'cjs' : 'js'
  const built = await rolldown({
    input: Object.fromEntries(files.map((file) => [nameOf(file), join(src, file)])),
    platform: 'node',
    external: (id) => isSeparate(id),
    plugins: [filesBesideSources],
    onLog(level, log) {
      if (log.code !== 'EVAL' && level === 'warn') console.error(log.message)
    },
  })
  const { output } = await built.write({
    dir: directory,
    format,
    // V8 keeps the sources in memory, with two bytes for each character of a file that has one beyond Latin-1.
    charset: 'ascii',
    comments: { legal: false, annotation: true, jsdoc: false },
    entryFileNames: `[name].${end}`,
    chunkFileNames: `[name]-[hash].${end}`,
  })
  return output.filter((one) => one.type === 'chunk')
}

const isSeparate = (id: string): boolean =>
  [...SEPARATE_PACKAGES, ...ABSENT].some((name) => id === name || id.startsWith(`${name}/`))

/** The file of an entry: `client`, `testing`, `main`, `merge-thread`. All lie in one directory. */
export const nameOf = (file: string): string =>
  basename(file) === 'index.ts' && dirname(file) !== '.' ? dirname(file) : basename(file, '.ts')

/** Rewrites paths of files beside a source to paths from the directory of the bundle. */
const filesBesideSources: Plugin = {
  name: 'files beside sources',
  transform(code, id) {
    if (!id.startsWith(root) || id.includes('/node_modules/')) return
    return code.replace(FILE_URL, (_, path: string) => {
      const target = relative(src, join(dirname(id), path))
      const file = target.endsWith('.ts') ? `./${nameOf(target)}.js` : target
      return `new URL('${file}${path.endsWith('/') ? '/' : ''}', import.meta.url)`
    })
  },
}

/** The directory of the package that a file belongs to. */
const packageOf = (id: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]

function licensesOf(packages: readonly string[]): string {
  const texts = packages.map((path) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(path, 'package.json'), 'utf8'),
    ) as { name: string; version: string; license?: string }
    const files = readdirSync(path).filter((file) => LICENSE.test(file))
    const text = files.map((file) => readFileSync(join(path, file), 'utf8').trim()).join('\n\n')
    return `${name} ${version} (${license ?? 'see below'})\n\n${text}`
  })
  return `Rookery contains these packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
