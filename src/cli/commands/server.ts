import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { App } from '../../app.ts'
import type { Config, Mode } from '../../config.ts'
import { readConfig } from '../../config.ts'
import type { ForkOptions } from '../../dev/fork.ts'
import { VERSION } from '../../kernel/base/version.ts'
import { createLogger, type Logger } from '../../kernel/http/logger.ts'
import { STORAGE_SETTINGS } from '../../kernel/storage/settings.ts'
import { momentArgument } from '../arguments.ts'
import { AS_DEPLOYED, AS_DEPLOYED_DATA_DIR, withDefaults } from '../as-deployed.ts'
import { banner, type Opened } from '../banner.ts'
import { showCatchingUp } from '../catching-up.ts'
import { EXIT_FAILED, Failure } from '../failure.ts'
import { programLog } from '../json-log.ts'
import { note, print, printJson } from '../output.ts'
import { portArgument, portsBeside } from '../ports.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A terminal and npm both deliver one Ctrl-C: signals this soon after the first count as the same. */
const SAME_SIGNAL_MS = 1_000
/** Time for a server to finish accepted requests after an uncaught error. */
const FAILED_STOP_MS = 15_000

const PORT = [
  '--port <port>',
  'port of the front door; the ports of all other interfaces move with it',
  portArgument,
] as const

const portsOf = (port: number | undefined) => port !== undefined && portsBeside(port)

/** Adds `start`, which runs a development network until a signal stops it. */
export function addStartCommand(program: Command, env: Env): void {
  program
    .command('start')
    .summary('run a development network')
    .description(
      'Runs everything on this machine with a small world in it: accounts 1 to 10 with known keys, and\n' +
        'helpers that make accounts and move the clock. Settings: docs/configuration.md.',
    )
    .addOption(
      new Option('--chain <kind>', 'keep accounts on a local chain: anvil').choices(['anvil']),
    )
    .option(...PORT)
    .option('--name <name>', 'a network with data of its own, beside the others', nameArgument)
    .option('--app <url>', 'a mini app to open, such as http://localhost:3000')
    .option('--snap <url>', 'a snap to press, such as http://localhost:3003')
    .option(
      '--fork <source>',
      'have the accounts of this hub, or of this file of rookery dev record-fork, too; everything written stays here',
    )
    .option('--at <time>', 'fork as of this time, such as 2026-01-31T12:00:00Z', momentArgument)
    .option(
      '--fork-header <header>',
      'sent to the hub of the fork, such as "x-api-key: …"; or the environment variable FORK_HEADER',
    )
    .addOption(asDeployed(`, with data in ${AS_DEPLOYED_DATA_DIR}`))
    .addHelpText(
      'after',
      '\nExamples:\n  ROOKERY_DATA_DIR=/tmp/rookery rookery start\n' +
        '  rookery start --as-deployed\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery rookery start --name second --port 3290\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery-app rookery start --app http://localhost:3000\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery-snap rookery start --snap http://localhost:3003\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery-chain rookery start --chain anvil\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery-fork rookery start --fork http://127.0.0.1:3381\n' +
        '  ROOKERY_DATA_DIR=/tmp/rookery-recorded rookery start --fork people.fork',
    )
    .action(async (options: StartOptions) => {
      const { chain, app, snap, port, name, fork, asDeployed, json } = options
      const defaults = asDeployed && { ...AS_DEPLOYED, ROOKERY_DATA_DIR: AS_DEPLOYED_DATA_DIR }
      const settings = {
        ...withDefaults({ ...defaults }, env),
        ...portsOf(port),
      }
      const onChain = chain !== undefined
      const opened = { miniApp: pageUrl('--app', app), snap: pageUrl('--snap', snap) }
      const own = name === undefined ? settings : named(settings, name)
      if (fork === undefined) {
        if (options.at || options.forkHeader)
          throw new Failure('--at and --fork-header need --fork')
        return runServer('development', own, { onChain, json, opened })
      }
      if (onChain) throw new Failure('a fork keeps its accounts in the ledger: leave out --chain')
      const forked = await (await import('../forked.ts')).forkedSettings(own, { ...options, fork })
      return runServer('development', forked.settings, {
        json,
        opened: { ...opened, fork: forked.of },
        openFork: forked.open,
        onStarted: async () => {
          forked.keep()
          return undefined
        },
      })
    })
}

/** Adds `serve`, which runs the server in production until a signal stops it. */
export function addServeCommand(program: Command, env: Env): void {
  program
    .command('serve')
    .summary('run in production')
    .description(
      'Runs the server without development helpers and without default secrets. It refuses to start ' +
        'when settings are missing or wrong, and names them all. Without a terminal everything that it ' +
        'prints is a line of JSON. Settings: docs/configuration.md.',
    )
    .option(...PORT)
    .addOption(asDeployed())
    .addHelpText(
      'after',
      '\nExample:\n  ROOKERY_NETWORK=mainnet ROOKERY_PUBLIC_URL=https://social.example.org \\\n' +
        '    ROOKERY_DATA_DIR=/srv/rookery rookery serve',
    )
    .action(({ asDeployed, json, port }: StartOptions) => {
      const settings = withDefaults({ ...(asDeployed && AS_DEPLOYED) }, env)
      return runServer('production', { ...settings, ...portsOf(port) }, { json })
    })
}

const asDeployed = (more = '') =>
  new Option(
    '--as-deployed',
    `serve clients that are built for the deployed network: network mainnet and its JSON${more}`,
  )

/** The address of a page. */
function pageUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new Failure(
    `${option} must be the address of a page, such as http://localhost:3000, not "${text}"`,
  )
}

const NAME = /^[a-z0-9][a-z0-9-]{0,19}$/

function nameArgument(text: string): string {
  if (NAME.test(text)) return text
  throw new InvalidArgumentError('It has up to 20 characters of a-z, 0-9 and -.')
}

/** The settings of a network whose data are beside those of these settings. */
function named(settings: Env, name: string): Env {
  if (settings.DATABASE_URL) {
    throw new Failure('--name is for the embedded store: name another database in DATABASE_URL')
  }
  const { variable, defaults } = STORAGE_SETTINGS.settings.dataDir
  const dataDir = resolve(settings[variable] || defaults.development!)
  return { ...settings, [variable]: `${dataDir}-${name}` }
}

type StartOptions = {
  chain?: 'anvil'
  fork?: string
  at?: Date
  forkHeader?: string
  app?: string
  snap?: string
  port?: number
  name?: string
  asDeployed?: true
  json?: true
}

type RunOptions = {
  readonly onChain?: boolean
  readonly json: true | undefined
  readonly opened?: Opened
  readonly openFork?: (log: Logger) => Promise<ForkOptions>
  /** Called once the server listens. What it returns is called when the server ends. */
  readonly onStarted?: (app: App) => Promise<(() => void) | undefined>
}

/** Runs a server until a signal stops it. */
export async function runServer(
  mode: Mode,
  env: Env,
  { onChain = false, json, opened, openFork, onStarted }: RunOptions,
): Promise<void> {
  const config = readConfig(env, mode)
  ignoreLostReaders()
  const logger = createLogger({ level: config.logLevel })
  const signals = listenForSignals()
  const faults = listenForFaults(logger)
  const app = await startApp(config, logger, { onChain, fork: await openFork?.(logger) })
  const endShown = await onStarted?.(app)
  const said = programLog()
  if (json) printJson({ mode, urls: app.urls })
  else if (said) said.info({ mode, version: VERSION, urls: app.urls }, 'listening')
  else print(banner(app, opened))
  // To a parent process with an IPC channel, such as a test suite. When it has ended, this process stops.
  process.send?.({ urls: app.urls }, () => {})
  const endProgress = showCatchingUp(app)
  const reason = await Promise.race([signals, faults])
  if (reason === 'fault') {
    process.exitCode = EXIT_FAILED
    setTimeout(() => process.exit(EXIT_FAILED), FAILED_STOP_MS).unref()
  }
  endProgress()
  endShown?.()
  note('Stopping: finishing accepted requests (signal again to stop at once) ...')
  await app.stop()
  // A handle that a library left open must not keep the process alive.
  process.exit()
}

/** Without this, a server would end when the reader of its output ends, and fail while it stops because of that. */
function ignoreLostReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.removeAllListeners('error').on('error', () => {})
  }
}

async function startApp(
  config: Config,
  logger: Logger,
  { onChain, fork }: { readonly onChain: boolean; readonly fork: ForkOptions | undefined },
): Promise<App & { readonly chainUrl?: string | undefined }> {
  if (config.mode === 'production') {
    const { startApp } = await import('../../app.ts')
    return startApp({ config, logger })
  }
  if (!config.databaseUrl) hideFromGit(config.dataDir)
  const { startDevNetwork } = await import('../../dev/network.ts')
  return startDevNetwork({ config, logger, onChain, fork })
}

/** The data of a development network are often inside a project, and hold keys that must not be committed. */
function hideFromGit(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, '.gitignore')
  if (!existsSync(file)) writeFileSync(file, '*\n')
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function listenForSignals(): Promise<'signal'> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = () => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL_MS)
        process.exit(EXIT_FAILED)
      first ??= performance.now()
      resolve('signal')
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
    // The parent process has ended, perhaps while this one was loaded.
    process.on('disconnect', onSignal)
    if (process.connected === false) onSignal()
  })
}

/** Resolves after an uncaught exception or an unhandled rejection, which it logs. */
function listenForFaults(logger: Logger): Promise<'fault'> {
  return new Promise((resolve) => {
    const onFault = (error: unknown) => {
      logger.fatal({ err: error }, 'unhandled error')
      resolve('fault')
    }
    for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
      process.removeAllListeners(fault).on(fault, onFault)
    }
  })
}
