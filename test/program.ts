// The program as people run it: child processes, their output and their exit codes.

import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from '../src/runtime.ts'
import { patient } from './patience.ts'
import { createDatabase } from './postgres.ts'
import type { EngineName } from './world.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { TEST_PROGRAM } = process.env
/** `npm test` joins the program into few files, as the npm package has it: their directory. */
export const JOINED = TEST_PROGRAM && dirname(TEST_PROGRAM)
/** What tests start. */
export const PROGRAM = TEST_PROGRAM ?? join(ROOT, 'src', 'main.ts')
/** The compiled code of a joined program is kept beside it. */
export const COMPILE_CACHE = JOINED
  ? join(JOINED, '..', 'compiled')
  : process.env.NODE_COMPILE_CACHE
/** A server that is not ready after this long will not be: it may have to make its database first. */
const READY_WAIT_MS = patient(30_000)
const READY_POLL_MS = 50

/** A test that fails early leaves its programs running. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export type Env = Readonly<Record<string, string>>
export type Finished = { code: number | null; stdout: string; stderr: string }

/** A directory or database for a program's data, and settings that name it and free ports. */
export async function createPlace(
  engine: EngineName,
): Promise<{ env: Env; remove(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-program-'))
  const database = engine === 'postgres' ? await createDatabase() : undefined
  return {
    env: {
      ROOKERY_DATA_DIR: join(dir, 'data'),
      ROOKERY_KEYS: join(dir, 'keys.json'),
      ROOKERY_HUB_PORT: '0',
      ROOKERY_GRPC_PORT: '0',
      ROOKERY_REGISTRY_PORT: '0',
      ROOKERY_PLATFORM_PORT: '0',
      ROOKERY_ACCOUNTS_PORT: '0',
      ROOKERY_WEB_PORT: '0',
      ROOKERY_APP_PORT: '0',
      ROOKERY_OPS_PORT: '0',
      // Kept by a thread, for tests that read them.
      ROOKERY_VIEWS: 'off',
      // As in a world: only tests of badges compute them.
      ROOKERY_BADGE_MAX: '0',
      ...(database && {
        DATABASE_URL: database.url,
        ROOKERY_SIGNER_SECRET: `0x${'5e'.repeat(32)}`,
      }),
    },
    async remove() {
      await database?.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Runs a command of `rookery` to its end. */
export async function rookery(env: Env, ...args: string[]): Promise<Finished> {
  return finished(launch(env, args))
}

/** A command that goes on until it is stopped. */
export function startCommand(env: Env, ...args: string[]) {
  const child = launch(env, args)
  const ended = finished(child)
  return {
    output: ended.output,
    stop(signal: NodeJS.Signals): Promise<Finished> {
      child.kill(signal)
      return ended
    },
  }
}

export type Commands = {
  /** Like `rookery`, without a process for each. */
  run(env: Env, ...args: string[]): Promise<Finished>
  stop(): void
}

/** Commands that run one after the other in one process. */
export function startCommands(): Commands {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = fork(join(ROOT, 'test', 'command-runner.ts'), {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent' },
    execArgv: [],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const ended = once(child, 'exit')
  let last: Promise<unknown> = Promise.resolve()
  const runNow = async (env: Env, args: readonly string[]): Promise<Finished> => {
    child.send({ env, args })
    const answer = await Promise.race([once(child, 'message'), ended])
    assert(answer[0]?.stdout !== undefined, `it ended with ${answer[0]}`)
    return answer[0]
  }
  return {
    run(env, ...args) {
      const result = last.then(() => runNow(env, args))
      last = result.catch(() => {})
      return result
    },
    stop: () => child.disconnect(),
  }
}

export type Program = {
  /** The front door. */
  readonly web: string
  readonly hub: string
  /** `host:port` of the hub's gRPC interface. */
  readonly grpc: string
  readonly registry: string
  readonly platform: string
  readonly accounts: string
  readonly operations: string
  /** Settings with which the commands find this program. */
  readonly client: Env
  readonly child: ChildProcess
  readonly output: Finished
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

/** Starts a server and waits until it has printed its addresses and /health/ready answers 200. */
export async function startProgram(
  command: 'start' | 'serve' | 'mirror',
  env: Env,
  args: readonly string[] = [],
  /** The directory of the clone whose sources run; another clone runs another version. */
  root?: string,
): Promise<Program> {
  const child = launch(env, [command, ...args], root)
  const ended = finished(child)
  const output = ended.output
  await waitUntilReady(child, output).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  const { web, hub, grpc, registry, platform, accounts, operations, app } = urlsIn(output.stdout)!
  return {
    web,
    hub,
    grpc,
    registry,
    platform,
    accounts,
    operations,
    client: {
      ROOKERY_HUB_URL: hub,
      ROOKERY_REGISTRY_URL: registry,
      ROOKERY_PLATFORM_URL: platform,
      ROOKERY_ACCOUNTS_URL: accounts,
      ROOKERY_OPS_URL: operations,
      ...(app && { ROOKERY_APP_URL: app }),
      ...(env.ROOKERY_KEYS && { ROOKERY_KEYS: env.ROOKERY_KEYS }),
    },
    child,
    output,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Moves the clock of a development network, which its commands read. */
export async function advanceClock({ operations }: Program, seconds: number): Promise<void> {
  const response = await fetch(`${operations}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: seconds }),
  })
  assert.equal(response.status, 200)
}

async function waitUntilReady(child: ChildProcess, output: Finished): Promise<void> {
  const until = performance.now() + READY_WAIT_MS
  while (!(await isReady(output))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode}: ${output.stderr}${output.stdout}`)
    }
    if (performance.now() > until) {
      throw new Error(`the server is not ready after ${READY_WAIT_MS} ms: ${output.stderr}`)
    }
    await delay(READY_POLL_MS)
  }
}

async function isReady({ stdout }: Finished): Promise<boolean> {
  const urls = urlsIn(stdout)
  if (urls === undefined) return false
  return (await fetch(`${urls.operations}/health/ready`)).ok
}

const NO_URLS = {
  web: '',
  hub: '',
  grpc: '',
  registry: '',
  platform: '',
  accounts: '',
  operations: '',
  app: '',
}

/** The addresses that a server has printed: in a line of JSON, or for people. */
function urlsIn(stdout: string): typeof NO_URLS | undefined {
  const listening = stdout.split('\n').find((line) => /^\{.*"urls":\{.*\}$/.test(line))
  if (listening) return { ...NO_URLS, ...JSON.parse(listening).urls }
  // The banner names the operations interface last: when its line is printed, all addresses are known.
  if (!/operations +(http\S+)/.test(stdout)) return undefined
  const named = Object.keys(NO_URLS).map((name) => {
    const label = { grpc: 'gRPC', app: 'app API' }[name] ?? name
    return [name, new RegExp(`${label} +(\\S+:\\d+)`).exec(stdout)?.[1] ?? '']
  })
  return { ...NO_URLS, ...Object.fromEntries(named) }
}

/** Starts a command of `rookery` and leaves it running. */
export function launch(env: Env, args: string[], root?: string): ChildProcess {
  const { PATH } = process.env
  const main = root === undefined ? PROGRAM : join(root, 'src', 'main.ts')
  const child = spawn(process.execPath, [...MEMORY_FLAGS, main, ...args], {
    cwd: root ?? ROOT,
    // Compiled sources are all that it shares with the environment of the tests.
    env: {
      PATH,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      HOME: '/nonexistent',
      ...MEMORY_ENVIRONMENT,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function finished(child: ChildProcess): Promise<Finished> & { output: Finished } {
  const output: Finished = { code: null, stdout: '', stderr: '' }
  child.stdout!.setEncoding('latin1').on('data', (text) => {
    output.stdout += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]) => {
    output.code = code
    return output
  })
  return Object.assign(ended, { output })
}
