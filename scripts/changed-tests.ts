// Which test files depend on what has changed: by imports, and by the layers of test/imports.ts. A file above all features, such as
// src/app.ts, joins them: what a feature changes does not pass through it, or every whole-server test would run. A feature names
// the whole-server tests that are about it instead.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { importsOf, LAYERS, type Sources } from '../test/imports.ts'

const MAIN_BRANCHES = ['main', 'origin/main']
const CODE = '{src,test,scripts,bench}/**/*.{ts,js,mjs}'
/** It reads every source. */
const ALWAYS = ['test/structure.test.ts']
/** Imports by the names of the npm package. */
const PACKAGE: Readonly<Record<string, string>> = {
  rookery: 'src/index.ts',
  'rookery/client': 'src/client/index.ts',
  'rookery/testing': 'src/testing/index.ts',
}
/** Tests start the program as a process of its own. */
const STARTED = { program: 'src/main.ts', by: 'test/program.ts' }
/** Files that no test imports, and parts of the paths of the tests that read them. */
const READERS: readonly (readonly [path: RegExp, tests: readonly string[]])[] = [
  [/^web\//, ['-browser', 'test/pages', 'test/web-', 'test/browser', 'src/features/web/']],
  [/^(?:docs\/|[A-Z]+\.md$|examples\/)/, ['test/docs', 'test/guide', 'test/quick-starts']],
  [/\.md$/, ['test/docs']],
  [/^deploy\//, ['test/deploy', 'test/image', 'test/reverse-proxies', 'test/docs']],
  [/^\.(?:ci|github)\//, ['test/release']],
]

/** Begins of the names of the whole-server tests that are about a feature. */
export const ABOUT: Readonly<Record<string, readonly string[]>> = {
  actions: ['actions'],
  addresses: ['auth-addresses', 'app-lookups', 'starter-packs'],
  'app-api': ['app-', 'brief-app', 'token-first'],
  backups: ['backup', 'postgres-backup', 'upgrade'],
  badges: ['badges'],
  blocks: ['blocks'],
  channels: ['channel'],
  exports: ['export', 'dev-cli'],
  fork: ['fork'],
  invites: ['signup', 'journeys/joining'],
  'key-requests': ['key-requests', 'gasless-'],
  media: ['media'],
  'mini-apps': ['mini-app', 'app-mini-apps'],
  mirror: ['mirror', 'networks'],
  moderation: ['moderat', 'erasure', 'channel-reports', 'new-accounts'],
  'moderation-records': ['moderat', 'channel-reports'],
  archives: ['archive', 'own-rows', 'journeys/joining'],
  bookmarks: ['bookmarks', 'journeys/reading'],
  languages: ['languages', 'journeys/languages', 'journeys/reading'],
  lists: ['own-lists', 'journeys/reading'],
  joining: ['joining', 'join-requests', 'journeys/door'],
  mail: ['mail', 'journeys/by-mail'],
  mutes: ['app-lists', 'journeys/joining'],
  operations: ['operator-', 'readiness', 'use-metrics'],
  platform: ['platform-', 'pages', 'cached-answers'],
  polls: ['polls', 'journeys/mini-apps', 'app-snaps'],
  push: ['push'],
  recovery: ['recovery'],
  registration: ['app-sign-in', 'signup'],
  registry: ['registry', 'ens', 'hub-names'],
  relay: ['chain', 'moving'],
  'sealed-keys': ['sealed-keys', 'journeys/joining'],
  search: ['app-search'],
  'server-face': ['server-face'],
  'sign-in': ['sign-in'],
  signers: ['app-signers', 'client-keys'],
  snaps: ['journeys/mini-apps'],
  'starter-packs': ['starter-packs'],
  translation: ['translation', 'journeys/reading'],
  web: ['web-', 'pages', 'guide', 'journeys/reading'],
  webhooks: ['app-webhooks'],
}

/** Paths that differ from where this branch left main, in commits and in the working tree. */
export function changedPaths(cwd = '.'): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const bases = MAIN_BRANCHES.flatMap((branch) => {
    try {
      return [git('merge-base', 'HEAD', branch).trim()]
    } catch {
      return []
    }
  })
  const changed = git('diff', '--name-only', '--no-renames', bases[0] ?? 'HEAD')
  const added = git('ls-files', '--others', '--exclude-standard')
  return `${changed}${added}`.split('\n').filter((path) => path !== '')
}

/** All sources of this project by their paths. */
export function readCode(): Sources {
  const paths = globSync(CODE).filter((path) => !path.endsWith('.d.ts'))
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}

/** The test files that depend on changed paths; all of them when a path is one of which nothing is known. */
export function testsOf(
  changed: readonly string[],
  tests: readonly string[],
  code: Sources,
): string[] {
  const read = changed.filter((path) => !code.has(path)).map(readersOf)
  if (read.includes(undefined)) return [...tests]
  const reached = dependents(
    changed.filter((path) => code.has(path)),
    importersIn(code),
  )
  const features = new Set([...reached].flatMap((path) => featureOf(path) ?? []))
  const names = [
    ...ALWAYS,
    ...read.flatMap((parts) => parts!),
    ...[...features].flatMap((one) => (ABOUT[one] ?? []).map((name) => `test/${name}`)),
  ]
  return tests.filter((test) => reached.has(test) || names.some((name) => test.includes(name)))
}

const readersOf = (path: string): readonly string[] | undefined =>
  // A source that is gone: what imported it has changed too.
  /^(?:src|test|scripts|bench)\/.*\.ts$/.test(path)
    ? []
    : READERS.find(([pattern]) => pattern.test(path))?.[1]

function importersIn(code: Sources): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>([[STARTED.program, [STARTED.by]]])
  for (const [path, text] of code) {
    for (const { from } of importsOf(path, text)) {
      const target = PACKAGE[from] ?? from
      const known = importers.get(target)
      if (known) known.push(path)
      else importers.set(target, [path])
    }
  }
  return importers
}

function dependents(
  paths: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const reached = new Set(paths)
  for (const path of reached) {
    for (const importer of importers.get(path) ?? []) {
      if (featureOf(path) === undefined || !joinsFeatures(importer)) reached.add(importer)
    }
  }
  return reached
}

const featureOf = (path: string): string | undefined => /^src\/features\/([^/]+)\//.exec(path)?.[1]

/** The list of all features, and what lies in a layer above them. */
function joinsFeatures(path: string): boolean {
  const part = /^src\/(\w[\w-]*)/.exec(path)?.[1]
  if (part === undefined || path.endsWith('.test.ts')) return false
  if (path === 'src/features/index.ts') return true
  const layer = LAYERS.findIndex((parts) => parts.includes(part))
  return layer > LAYERS.findIndex((parts) => parts.includes('features'))
}
