// `npm run pack [-- <directory>]`: makes the tarball of the npm package. The package holds compiled JavaScript
// and types, needs no development packages and has no install script.
import { execFileSync } from 'node:child_process'
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
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Platforms for which Node publishes a package with its program alone. */
const NODE_PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64']
/** What the program reads besides its sources; paths from dist/ are as from src/. */
const FILES = ['web/built', 'web/reference', 'contracts/compiled', 'README.md', 'LICENSE']
/** Paths in the sources that TypeScript does not rewrite: those of threads and of the program. */
const SOURCE_URL = /new URL\('(\.{1,2}\/[\w./-]+)\.ts', import\.meta\.url\)/g

/**
 * Builds the package and returns the path of its tarball in a directory. Types need not be checked where
 * `npm run check` does it.
 */
export function pack(directory: string, { checksTypes = true } = {}): string {
  const stage = mkdtempSync(join(tmpdir(), 'rookery-pack-'))
  try {
    compile(join(stage, 'dist'), checksTypes)
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

/** npm 11 answers with a list, later versions with an object by package name. */
function packedName(answer: object): string {
  const [packed] = Object.values(answer) as { filename: string }[]
  return packed!.filename
}

function compile(directory: string, checksTypes: boolean): void {
  const args = ['--project', 'tsconfig.build.json', '--outDir', directory]
  if (!checksTypes) args.push('--noCheck')
  execFileSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: root, stdio: 'inherit' })
  // Generated codecs are JavaScript already.
  for (const file of globSync('**/*.{js,d.ts}', { cwd: join(root, 'src') })) {
    cpSync(join(root, 'src', file), join(directory, file))
  }
  for (const file of globSync('**/*.js', { cwd: directory })) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    const rewritten = text.replace(SOURCE_URL, "new URL('$1.js', import.meta.url)")
    if (rewritten !== text) writeFileSync(path, rewritten)
  }
}

/** The manifest of the package: ours without what only a clone needs. */
function manifest(): object {
  const { name, version, description, license, type, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const { node, ...libraries } = dependencies
  const exported = (path: string) => ({
    types: `./dist/${path}.d.ts`,
    default: `./dist/${path}.js`,
  })
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: '>=20' },
    bin: { rookery: 'bin/rookery.mjs' },
    exports: {
      '.': exported('index'),
      './client': exported('client/index'),
      './testing': exported('testing/index'),
      './package.json': './package.json',
    },
    dependencies: libraries,
    // Each holds Node for one platform and has no install script; npm installs the one that fits.
    optionalDependencies: Object.fromEntries(
      NODE_PLATFORMS.map((platform) => [`node-${platform}`, node]),
    ),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = process.argv[2] ?? '.'
  mkdirSync(directory, { recursive: true })
  console.log(pack(directory))
}
