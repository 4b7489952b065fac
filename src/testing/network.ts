import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programStart } from '../runtime.ts'

/** Where the interfaces of a network listen: on free ports of this machine. */
export type NetworkUrls = {
  readonly hub: string
  /** `host:port`. */
  readonly grpc: string
  readonly registry: string
  readonly platform: string
  readonly accounts: string
  /** The front door, with every public interface below its prefix. */
  readonly web: string
  readonly operations: string
  /** Interfaces of later versions. */
  readonly [name: string]: string
}

/** An account of a development network. Everybody may know these keys. All are 0x and hex digits. */
export type NetworkAccount = {
  readonly fid: number
  readonly name: string
  /** The Ethereum address that owns the fid, and its secp256k1 key. */
  readonly custodyAddress: string
  readonly custodyPrivateKey: string
  /** The Ed25519 key that signs messages, and its 32-byte seed. */
  readonly appPublicKey: string
  readonly appPrivateKey: string
}

export type NetworkOptions = {
  /** Settings by the name of their variable, such as `ROOKERY_NETWORK`. */
  readonly env?: Readonly<Record<string, string>>
  /** Receives the log of the network; it is thrown away unless given. */
  readonly onOutput?: (text: string) => void
}

/** A whole social network for one test suite: a process, an empty store and ten accounts. */
export type Network = {
  readonly urls: NetworkUrls
  /** Accounts 1 to 10, the same in every network. */
  readonly accounts: readonly NetworkAccount[]
  /** Creates another account with a name and a key, ready to post. */
  createAccount(): Promise<NetworkAccount>
  /** The time of the network in Unix seconds. */
  now(): Promise<number>
  /** Moves the clock forward. What becomes due happens before this returns. Returns the new time. */
  advance(seconds: number): Promise<number>
  /** Deletes everything and begins again with the first ten accounts, at the real time. */
  reset(): Promise<void>
  /** Ends the process and deletes its data. May be called twice. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const PORTS = ['HUB', 'GRPC', 'REGISTRY', 'PLATFORM', 'ACCOUNTS', 'APP', 'WEB', 'OPS']
/** Generous: many networks may start at once on a small machine. */
const START_TIMEOUT_MS = 120_000
/** A server that has not stopped after this is killed; its data are thrown away in any case. */
const STOP_TIMEOUT_MS = 10_000
/** The last lines of the log that an error shows. */
const SHOWN_OUTPUT_CHARACTERS = 2_000

/**
 * Starts a development network in a process of its own, on free ports and with data in a temporary
 * directory. Any number of them run side by side. The process ends when this one does.
 */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rookery-network-'))
  const child = launch(dataDir, options)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= end(child, ended).then(() => rm(dataDir, { recursive: true, force: true }))
    return stopped
  }
  try {
    const urls = await listening(child, options)
    const call = <T>(path: string, body?: object) => ask<T>(`${urls.operations}/dev${path}`, body)
    const { accounts } = await call<Accounts>('/accounts')
    return {
      urls,
      accounts,
      createAccount: async () => (await call<Accounts>('/accounts', {})).accounts[0]!,
      now: async () => (await call<Time>('/clock')).unixSeconds,
      advance: async (advanceSeconds) =>
        (await call<Time>('/clock', { advanceSeconds })).unixSeconds,
      reset: async () => void (await call('/reset', {})),
      stop,
      [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: stop,
    } as Network
  } catch (error) {
    await stop()
    throw error
  }
}

type Accounts = { readonly accounts: readonly NetworkAccount[] }
type Time = { readonly unixSeconds: number }

function launch(dataDir: string, { env = {} }: NetworkOptions): ChildProcess {
  const start = programStart(['start'])
  const ports = Object.fromEntries(PORTS.map((name) => [`ROOKERY_${name}_PORT`, '0']))
  return spawn(start.command, start.args, {
    env: {
      ...start.env,
      ...withoutSettings(process.env),
      ...ports,
      ROOKERY_DATA_DIR: dataDir,
      // The data are removed at the end.
      ROOKERY_DATABASE_FLUSH: 'off',
      // Badges are computed in a thread, which would compete with the tests.
      ROOKERY_BADGE_MAX: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/** Settings of the developer's own server must not reach the network of a test. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^ROOKERY_|^DATABASE_URL$|^DATABASE_READ_URL$|^NODE_OPTIONS$/.test(name),
    ),
  )

/** Waits until the program has sent its addresses. */
function listening(child: ChildProcess, { onOutput }: NetworkOptions): Promise<NetworkUrls> {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      onOutput?.(text)
      output = (output + text).slice(-SHOWN_OUTPUT_CHARACTERS)
    })
  }
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the network ${why}:\n${output}`))
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'did not start in time')
    child.once('message', (message) => {
      clearTimeout(timer)
      resolve((message as { urls: NetworkUrls }).urls)
    })
    child.once('error', (error) => fail(`could not be started (${error.message})`))
    // Its output is complete when the streams are closed.
    child.once('close', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
  })
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const isEmpty = body !== undefined && Object.keys(body).length === 0
  const response = await fetch(url, {
    ...(body && { method: 'POST' }),
    ...(body &&
      !isEmpty && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as T
}
