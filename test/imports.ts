// What the sources import, and what is wrong about it.

export type Sources = ReadonlyMap<string, string>

/** Lower layers first. A part may import itself and every part of the layers below its own. */
export const LAYERS: readonly (readonly string[])[] = [
  ['kernel/protocol'],
  ['kernel/base'],
  ['client'],
  ['kernel/storage'],
  ['kernel/limits'],
  ['kernel/http'],
  ['kernel/jobs'],
  ['kernel/ports', 'kernel/module'],
  ['kernel/lifecycle'],
  ['kernel/deliveries'],
  ['kernel/views'],
  ['kernel/accounts'],
  ['kernel/platform'],
  ['kernel/hub'],
  ['kernel/grpc'],
  ['kernel/app-api'],
  ['kernel/server'],
  ['kernel/feature'],
  ['features'],
  ['config'],
  ['store'],
  ['threads'],
  ['services'],
  ['app'],
  ['dev'],
  ['cli'],
  ['main', 'index'],
  ['runtime'],
  ['testing'],
]

/** What others may ask of a feature. */
const PORT = 'port.ts'

/** Names that open a store, and the only files outside storage/ that may import them. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  openStorage: ['store.ts'],
  openWholeStore: ['app.ts'],
  joinWholeStore: ['app.ts', 'threads/backup-thread.ts'],
  joinStorage: [
    'store.ts',
    'features/badges/badges-thread.ts',
    'features/search/search-thread.ts',
    'kernel/hub/submit/serve-merges.ts',
    'kernel/views/serve-views.ts',
  ],
  openViewStore: ['kernel/views/serve-views.ts'],
  openSqlite: [],
  joinSqlite: [],
  openPostgres: [],
}
/** A test helper passes the environment of the test suite on. */
const READS_ENVIRONMENT = ['main.ts', 'config.ts', 'testing/network.ts']
/** Node's modules that the pure rules may use: bytes and nothing else. */
const PURE_MODULES = ['node:buffer']

/** Everything that breaks a rule of ARCHITECTURE.md, a sentence each; paths are relative to src/. */
export function faultsOf(sources: Sources): string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]))
  return [
    ...[...imports].flatMap(([path, found]) =>
      found.flatMap((one) => layerFaults(path, one, sources)),
    ),
    ...[...sources].flatMap(([path, text]) => textFaults(path, text)),
    ...cyclesIn(imports),
    ...[...sources.keys()]
      .filter(isThreadWithoutRoutes)
      .flatMap((path) => threadFaults(path, imports)),
  ]
}

/** Only routes, settings and chains need them, and a thread that loads one has 3 to 30 MB more. */
const LARGE_PACKAGES = ['typebox', 'viem', 'fastify']
const isThreadWithoutRoutes = (path: string) => path.endsWith('-thread.ts')

/** A server alone calls the `serve` of a declaration, which loads the rest of the feature. */
const isServing = (path: string, from: string) =>
  path.endsWith('/feature.ts') && from.endsWith('/serve.ts')

function threadFaults(thread: string, imports: ReadonlyMap<string, readonly Import[]>): string[] {
  const loaded = new Set([thread])
  for (const path of loaded) {
    for (const { from, isType, isThread } of imports.get(path) ?? []) {
      if (isType || isThread || isServing(path, from)) continue
      const large = LARGE_PACKAGES.find((name) => `${from}/`.startsWith(`${name}/`))
      if (large) return [`${thread} loads ${large}, by ${path}`]
      loaded.add(from)
    }
  }
  return []
}

type Import = {
  readonly from: string
  readonly names: readonly string[]
  /** Started as a thread: it has modules of its own, so that it may import its starter's types. */
  readonly isThread?: boolean
  /** Gone when the types are stripped, so that nothing is loaded. */
  readonly isType?: boolean
}

/** What a file imports: other files by their path, packages by their name. */
export function importsOf(path: string, text: string): Import[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s*from\s*)?'([^']+)'/gm,
  )
  const calls = text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)
  const threads = text.matchAll(/new URL\(\s*'(\.[^']+\.ts)'/g)
  return [
    ...[...statements].map(([, type, names = '', from = '']) => ({
      from: resolved(path, from),
      names: names.match(/\w+/g) ?? [],
      ...(type !== undefined && { isType: true }),
    })),
    ...[...calls].map(([, from = '']) => ({ from: resolved(path, from), names: [] })),
    ...[...threads].map(([, from = '']) => {
      return { from: resolved(path, from), names: [], isThread: true }
    }),
  ]
}

function resolved(path: string, from: string): string {
  if (!from.startsWith('.')) return from
  return new URL(from, `file:///${path}`).pathname.slice(1)
}

/** What a settings.ts may import besides protocol/ and other settings. */
const SETTING_KIT = [
  'kernel/base/setting.ts',
  'kernel/base/database-url.ts',
  'kernel/base/languages/languages.ts',
]
const isSettings = (path: string) => /\/settings\.ts$/.test(path)
/** `kernel/storage` for kernel/storage/engines/sql.ts, `features` for every feature, `app` for app.ts. */
const partOf = (path: string) =>
  (/^kernel\/[^/]+/.exec(path)?.[0] ?? path.split('/')[0]!).replace(/\.\w+$/, '')
const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1]
const layerOf = (part: string) => LAYERS.findIndex((layer) => layer.includes(part))

function layerFaults(path: string, { from, names }: Import, sources: Sources): string[] {
  const part = partOf(path)
  if (layerOf(part) < 0) return [`${path}: ${part} has no place in the layers of test/imports.ts`]
  const isFile = sources.has(from) || from.startsWith('kernel/protocol/wire/')
  if (!isFile) {
    const impure =
      part === 'kernel/protocol' && from.startsWith('node:') && !PURE_MODULES.includes(from)
    return impure ? [`${path} imports ${from}: protocol/ does no input or output`] : []
  }
  const other = partOf(from)
  if (
    isSettings(path) &&
    !isSettings(from) &&
    other !== 'kernel/protocol' &&
    !SETTING_KIT.includes(from)
  ) {
    return [`${path} imports ${from}: settings need the setting kit and protocol/ alone`]
  }
  const faults = names.flatMap((name) => {
    const only = OPENERS[name]
    const allowed = only === undefined || part === 'kernel/storage' || only.includes(path)
    return allowed ? [] : [`${path} imports ${name}: only store.ts and app.ts open stores`]
  })
  if (other !== part && layerOf(other) >= layerOf(part)) {
    faults.push(`${path} imports ${from}: ${other} is not below ${part}`)
  }
  const [mine, others] = [featureOf(path), featureOf(from)]
  if (mine !== undefined && others !== undefined && mine !== others && !from.endsWith(`/${PORT}`)) {
    faults.push(`${path} imports ${from}: a feature asks others by their ${PORT}`)
  }
  return faults
}

function textFaults(path: string, text: string): string[] {
  return /\bprocess\.env\b/.test(text) && !READS_ENVIRONMENT.includes(path)
    ? [`${path} reads the environment: only main.ts does, config.ts makes sense of it`]
    : []
}

/** Each circle of imports once, as the path that leads round. */
/** Files that import each other, around corners and in lazy parts too. */
export function circlesIn(sources: Sources): string[] {
  return cyclesIn(new Map([...sources].map(([path, text]) => [path, importsOf(path, text)])))
}

function cyclesIn(imports: ReadonlyMap<string, readonly Import[]>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}: a circle`)
      return
    }
    if (done.has(path)) return
    for (const { from, isThread } of imports.get(path) ?? []) {
      if (imports.has(from) && !isThread) visit(from, [...trail, path])
    }
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return cycles
}
