// `npm run pack [-- <directory>]`: makes the tarball of the npm package. The package holds the program in few
// files, its types and pages, and has no install script.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle, LICENSES, nameOf, SEPARATE_PACKAGES } from './bundle.ts'
import { buildGuide, GUIDE } from './docs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Platforms for which Node publishes a package with its program alone. */
const NODE_PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64']
/** The exports of the package and their sources. */
const EXPORTS = { '.': 'index.ts', './client': 'client/index.ts', './testing': 'testing/index.ts' }
/** Where the types for `require` are. */
const REQUIRED_TYPES = 'types-commonjs'
const IMPORTED_TYPES = /(?:from |import\()'(\.{1,2}\/[^']+)'/g
/** Files that the program reads; their paths relative to dist/ are those relative to src/. */
const FILES = [
  'web/built',
  'web/reference',
  'contracts/compiled',
  'proto',
  'README.md',
  'LICENSE',
  // By name: a clone may have settings with secrets beside them.
  'deploy/rookery.service',
  'deploy/Caddyfile',
  'deploy/alerts.yml',
  'deploy/grafana-dashboard.json',
  'deploy/metrics',
]

type PackOptions = {
  readonly withGuide?: boolean
  /** The output of `bundle`. */
  readonly joined?: string | undefined
}

/**
 * Builds the package and returns the path of its tarball. `npm run check` checks the types, here they are only written. Skips the
 * bundling where a bundle is given.
 */
export async function pack(
  directory: string,
  { withGuide = true, joined }: PackOptions = {},
): Promise<string> {
  const stage = mkdtempSync(join(tmpdir(), 'rookery-pack-'))
  try {
    // They take most of the time, so they run side by side.
    await allEnded([
      writeTypes(join(stage, 'types')).then(() => writeForRequire(stage)),
      withGuide && buildGuide(),
      joined
        ? copyJoined(joined, stage)
        : bundle(join(stage, 'dist'), globSync('**/*.ts', { cwd: join(root, 'src') })),
    ])
    if (withGuide) cpSync(join(root, GUIDE), join(stage, GUIDE), { recursive: true })
    for (const file of FILES) cpSync(join(root, file), join(stage, file), { recursive: true })
    mkdirSync(join(stage, 'bin'))
    cpSync(join(root, 'scripts/package-bin.mjs'), join(stage, 'bin/rookery.mjs'))
    chmodSync(join(stage, 'bin/rookery.mjs'), 0o755)
    writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest(), undefined, 2))
    const options = ['--json', '--loglevel=error', '--pack-destination', resolve(directory)]
    const output = execFileSync('npm', ['pack', ...options], { cwd: stage, encoding: 'utf8' })
    return join(resolve(directory), packedName(JSON.parse(output)))
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** Waits for all of them also when one fails: what still writes must not be in the way of what is removed. */
async function allEnded(parts: readonly unknown[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

/**
 * The types for projects that load by `require`: a package.json says of which kind a declaration is. Resolvers that do not know
 * `exports`, such as that of `moduleResolution: node`, look for a folder with the name of the import.
 */
function writeForRequire(stage: string): void {
  cpSync(join(stage, 'types'), join(stage, REQUIRED_TYPES), { recursive: true })
  writeFileSync(join(stage, REQUIRED_TYPES, 'package.json'), '{ "type": "commonjs" }\n')
  for (const [path, file] of Object.entries(EXPORTS).filter(([path]) => path !== '.')) {
    mkdirSync(join(stage, path))
    const found = {
      main: `../dist/${nameOf(file)}.cjs`,
      module: `../dist/${nameOf(file)}.js`,
      types: `../${REQUIRED_TYPES}/${typesOf(file)}`,
    }
    writeFileSync(join(stage, path, 'package.json'), JSON.stringify(found, undefined, 2))
  }
}

/** The output of `bundle`. */
function copyJoined(from: string, stage: string): void {
  cpSync(from, join(stage, 'dist'), { recursive: true })
  cpSync(join(from, '..', LICENSES), join(stage, LICENSES))
}

/** npm 11 answers with a list, later versions with an object by package name. */
function packedName(answer: object): string {
  const [packed] = Object.values(answer) as { filename: string }[]
  return packed!.filename
}

/** The types of the exports, which need no other package. */
async function writeTypes(directory: string): Promise<void> {
  const all = mkdtempSync(join(tmpdir(), 'rookery-types-'))
  try {
    await compileTypes(all)
    for (const file of importedTypes(all)) cpSync(join(all, file), join(directory, file))
  } finally {
    rmSync(all, { recursive: true })
  }
}

/** Paths of the declarations of the entries, and of all that they import. */
function importedTypes(all: string): Set<string> {
  const files = new Set(Object.values(EXPORTS).map(typesOf))
  for (const file of files) {
    for (const [, from] of readFileSync(join(all, file), 'utf8').matchAll(IMPORTED_TYPES)) {
      files.add(join(dirname(file), typesOf(from!)))
    }
  }
  return files
}

const typesOf = (file: string): string => file.replace(/\.[jt]s$/, '.d.ts')

async function compileTypes(directory: string): Promise<void> {
  const project = ['--project', 'tsconfig.build.json', '--outDir', directory]
  const args = ['--checkers', '1', '--noCheck', ...project]
  // As in check.ts: more checkers and collecting garbage take half of its processor time.
  const env = { ...process.env, GOGC: 'off' }
  const options = { cwd: root, env, stdio: 'inherit' } as const
  const compiler = spawn(join(root, 'node_modules/.bin/tsc'), args, options)
  const [code] = await once(compiler, 'close')
  if (code !== 0) throw new Error(`the types are not compiled: tsc ended with ${code}`)
}

/** The package.json of the package, without the parts that only a clone needs. */
function manifest(): object {
  const { name, version, description, license, type, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const separate = SEPARATE_PACKAGES.map((name) => [name, dependencies[name]])
  const exported = Object.entries(EXPORTS).map(([path, file]) => [
    path,
    {
      // The server itself is for Node 26, which requires modules.
      ...(path !== '.' && {
        require: {
          types: `./${REQUIRED_TYPES}/${typesOf(file)}`,
          default: `./dist/${nameOf(file)}.cjs`,
        },
      }),
      types: `./types/${typesOf(file)}`,
      default: `./dist/${nameOf(file)}.js`,
    },
  ])
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    bin: { rookery: 'bin/rookery.mjs' },
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
    dependencies: Object.fromEntries(separate),
    // Each holds Node for one platform and has no install script; npm installs the one that fits.
    optionalDependencies: Object.fromEntries(
      NODE_PLATFORMS.map((platform) => [`node-${platform}`, dependencies.node]),
    ),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = process.argv[2] ?? '.'
  mkdirSync(directory, { recursive: true })
  console.log(await pack(directory))
}
