/// <reference lib="esnext.disposable" preserve="true" />
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Replayed, ReplayTarget } from '../dev/recording/replay.ts'
import type { Recorded } from '../dev/recording/session.ts'
import { type RecordedAccount, writeForkFile } from '../features/fork/fork-file.ts'
import { SNAPSHOT_NAME } from '../kernel/storage/snapshots.ts'
import { programStart } from '../runtime.ts'
import type { Fault } from './generated/fault.ts'
import { type MiniApp, miniAppAt } from './mini-app.ts'
import type { ForkedAccount, NetworkAccount, NetworkUrls } from './network-parts.ts'
import { type Snap, snapAt } from './snap.ts'
import { type BrowserFrame, type BrowserPage, signIn } from './web-client.ts'

export type NetworkOptions = {
  /** Settings by the name of their variable, such as `ROOKERY_NETWORK`. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Begins as a snapshot of another network was: its `directory`. Networks of several workers may begin with one, and each has
   * it as a snapshot of its own, by its name. Not with `DATABASE_URL`.
   */
  readonly from?: string
  /**
   * Has the accounts of this hub, or of this file of `recordFork`, too, as `rookery start --fork`: they are read when they are
   * asked for, and everything written stays in this network. Its own accounts have fids from 1000000001 on.
   */
  readonly fork?: string | ForkOptions
  /** Receives the log of the network; it is thrown away unless given. */
  readonly onOutput?: (text: string) => void
}

export type ForkOptions = {
  /** The address of a hub, or the path of a recorded fork. */
  readonly of: string
  /** As of this time. */
  readonly at?: Date
  /** Sent to the hub, such as `x-api-key: …`. */
  readonly header?: string
}

/** What a network was like at a moment. */
export type Snapshot = {
  readonly name: string
  /** Its files, for `from` of other networks; they are deleted when the network stops. Undefined on PostgreSQL. */
  readonly directory?: string
}

/** A whole social network for one test suite: a process, an empty store and ten accounts. */
export type Network = {
  readonly urls: NetworkUrls
  /** Accounts 1 to 10, the same in every network. */
  readonly accounts: readonly NetworkAccount[]
  /** Creates another account with a name and a key, ready to post. */
  createAccount(): Promise<NetworkAccount>
  /** A key to act as an account of the hub that is forked, by fid or name. It is valid in this network alone. */
  actAs(account: number | string): Promise<ForkedAccount>
  /** Writes what this fork keeps of its source to a file, with which `fork` of other networks needs no hub. */
  recordFork(file: string): Promise<void>
  /** Writes what this network has told apps (webhooks, mini-app events, sign-ins) since its start or the last reset. */
  record(file: string): Promise<void>
  /** Sends what was recorded to an app again, with times and signatures made anew. Returns how the app answered. */
  replay(file: string, target: ReplayTarget): Promise<readonly Replayed[]>
  /** The time of the network in Unix seconds. */
  now(): Promise<number>
  /** Moves the clock forward. What becomes due happens before this returns. Returns the new time. */
  advance(seconds: number): Promise<number>
  /** Deletes everything and begins again with the first ten accounts, at the real time. */
  reset(): Promise<void>
  /** Keeps everything as it is now, to go back to with `revert`. An earlier snapshot of the same name is replaced. */
  snapshot(name?: string): Promise<Snapshot>
  /** Puts everything stored back, the clock too. Streams of events and faults end. */
  revert(snapshot: Snapshot | string): Promise<void>
  /** Adds people and what they wrote: a few, a hundred with ten thousand messages, or what apps often show wrongly. */
  seed(kind: 'small' | 'busy' | 'adversarial'): Promise<void>
  /**
   * Breaks requests on purpose, to see what an app makes of it, until faults are given again; an empty list ends all, as
   * `reset` and `revert` do.
   */
  faults(faults: Fault | readonly Fault[]): Promise<void>
  /**
   * Lets the web client act as an account, as after a sign-in, in a page of Playwright. `page.goto` to any page of
   * `urls.web` goes on from there.
   */
  signIn(page: BrowserPage<BrowserFrame>, account: Pick<NetworkAccount, 'name'>): Promise<void>
  /** A mini app in this network, by the address of its page, such as `http://localhost:3000`. */
  miniApp(url: string): MiniApp
  /** A snap in this network, by its address, such as `http://localhost:3003`. */
  snap(url: string): Snap
  /** Ends the process and deletes its data. May be called twice. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What a snapshot may be called; a copied directory may have another name. */
const SNAPSHOT = new RegExp(SNAPSHOT_NAME)
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
  if (options.from !== undefined) await copySnapshot(options, dataDir)
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
    // Under its name, so that each worker goes back to what all of them began with.
    const begun = options.from === undefined ? undefined : basename(options.from)
    if (begun !== undefined && SNAPSHOT.test(begun)) await call('/snapshots', { name: begun })
    const { accounts } = await call<Accounts>('/accounts')
    let snapshots = 0
    // The one that it began with stays what it is.
    const unnamed = (): string => {
      const name = `snapshot-${++snapshots}`
      return name === begun ? unnamed() : name
    }
    const now = async () => (await call<Time>('/clock')).unixSeconds
    return {
      urls,
      accounts,
      createAccount: async () => (await call<Accounts>('/accounts', {})).accounts[0]!,
      actAs: (account) => call<ForkedAccount>('/act-as', { account: String(account) }),
      recordFork: async (file) => {
        await writeForkFile(file, (after) => call<RecordedAccount>(`/fork?after=${after}`))
      },
      record: async (file) => {
        const { writeSession } = await import('../dev/recording/session.ts')
        await writeSession(file, (await call<{ entries: Recorded[] }>('/recording')).entries)
      },
      replay: async (file, target) => {
        const [{ replay }, { readSession }] = await Promise.all([
          import('../dev/recording/replay.ts'),
          import('../dev/recording/session.ts'),
        ])
        const { platform, operations } = urls
        return replay(await readSession(file), target, { platform, app: urls.app!, operations })
      },
      now,
      advance: async (advanceSeconds) =>
        (await call<Time>('/clock', { advanceSeconds })).unixSeconds,
      reset: async () => void (await call('/reset', {})),
      snapshot: (name = unnamed()) => call<Snapshot>('/snapshots', { name }),
      revert: async (to) =>
        void (await call('/revert', { name: typeof to === 'string' ? to : to.name })),
      seed: async (kind) => void (await call('/seed', { kind })),
      faults: async (faults) => {
        const list = Array.isArray(faults) ? faults : [faults]
        await ask(`${urls.operations}/dev/faults`, { faults: list }, 'PUT')
      },
      signIn: (page, account) => signIn(page, account, urls),
      miniApp: (url) => miniAppAt(url, urls, now),
      snap: (url) => snapAt(url, urls),
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

/** By reflinks where the file system has them. */
async function copySnapshot({ from, env = {} }: NetworkOptions, dataDir: string): Promise<void> {
  if (env.DATABASE_URL) throw new Error('`from` is for the embedded store: leave out DATABASE_URL')
  try {
    for (const file of await readdir(from!)) {
      await copyFile(join(from!, file), join(dataDir, file), constants.COPYFILE_FICLONE)
    }
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  }
}

function launch(dataDir: string, { env = {}, fork }: NetworkOptions): ChildProcess {
  const { of, at, header }: Partial<ForkOptions> =
    typeof fork === 'string' ? { of: fork } : { ...fork }
  const forked = of === undefined ? [] : ['--fork', of, ...(at ? ['--at', at.toISOString()] : [])]
  const start = programStart(['start', ...forked])
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
      // Not an argument: those are seen in lists of processes.
      ...(header !== undefined && { FORK_HEADER: header }),
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

async function ask<T>(url: string, body?: object, method = 'POST'): Promise<T> {
  const isEmpty = body !== undefined && Object.keys(body).length === 0
  const response = await fetch(url, {
    ...(body && { method }),
    ...(body &&
      !isEmpty && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as T
}
