// The whole server as tests use it: the real program on a real store, its clock in our hands.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { type App, type AppOptions, startApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import type { NameFeed } from '../src/kernel/hub/names.ts'
import { buildMessage, type DataInit, type Origin } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { publicKeyOf, signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { LONG } from './effort.ts'
import { PATIENCE_MS } from './patience.ts'
import { createDatabase } from './postgres.ts'
import { copyStoreTemplate } from './store-template.ts'

export type EngineName = 'sqlite' | 'postgres'
export const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
/** Engines that TEST_ENGINES asks for: one of them, or `both`. */
const { TEST_ENGINES } = process.env
if (TEST_ENGINES !== undefined && !['both', ...ENGINES].includes(TEST_ENGINES)) {
  throw new Error(`TEST_ENGINES is ${TEST_ENGINES}: set it to sqlite, postgres or both`)
}
const DAY = Math.floor(Date.now() / 86_400_000)

/**
 * The engines of a suite above the store, named by its file: one today and the other tomorrow, because what a store means is tested
 * on both each time beside the code, and scripts/statements.ts tries every statement on both. What is about the engine takes `ENGINES`.
 */
export function enginesOf(suite: string): readonly EngineName[] {
  if (LONG || TEST_ENGINES === 'both') return ENGINES
  const asked = ENGINES.filter((engine) => engine === TEST_ENGINES)
  if (asked.length > 0) return asked
  const letters = [...basename(suite)].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0)
  return [ENGINES[(letters + DAY) % ENGINES.length]!]
}

/** Other tests may use all processors. The settings take no more than five minutes. */
const PATIENCE_SECONDS = String(Math.min(Math.ceil(PATIENCE_MS / 1_000), 300))

/** 2026-01-01T00:00:00Z: when every world begins. */
export const WORLD_START_MS = 1_767_225_600_000
export const DEVNET = 3

/** An account of a world: a fid, its custody address and one key that may sign. */
export type TestAccount = {
  readonly fid: number
  readonly seed: Uint8Array
  readonly key: Uint8Array
  readonly custody: Uint8Array
}

export type World = {
  readonly app: App
  readonly clock: { now(): number; advance(ms: number): void; set(ms: number): void }
  /** What app.storage keeps in; a second program may be started on it. */
  readonly env: Readonly<Record<string, string>>
  /** Makes accounts exist, with storage and a key, by importing their on-chain events. */
  accounts(fids: readonly number[], options?: { units?: number }): Promise<TestAccount[]>
  account(fid: number, options?: { units?: number }): Promise<TestAccount>
  /** fid, timestamp (network seconds, by default now) and network of a message. */
  origin(account: TestAccount, timestamp?: number): Origin
  sign(account: TestAccount, init: DataInit): SignedMessage
  /** Submits over HTTP, as clients do. */
  submit(message: SignedMessage | Uint8Array): Promise<Answer>
  validate(message: SignedMessage | Uint8Array): Promise<Answer>
  /** GET on the hub; the parsed body with its status. */
  get(path: string): Promise<Answer>
  /** A request to the client platform: JSON out and in, a token when one is given. */
  platform(path: string, request?: PlatformRequest): Promise<Answer>
  /** The same on the operations interface. */
  operate(path: string, request?: PlatformRequest): Promise<Answer>
  /** The token that the account's app would make, good for five minutes. */
  token(account: TestAccount): string
  /** Stops the program; its addresses stay known. */
  stop(): Promise<void>
  /** Stops the program and starts it again on the same store, from now on with these settings; empty ones are unset. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>
  close(): Promise<void>
}

export type PlatformRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
export type Answer = { readonly status: number; readonly body: any; readonly headers: Headers }

export async function createWorld(
  options: {
    engine?: EngineName
    env?: Readonly<Record<string, string>>
    /** In place of what the settings say, also of what no setting decides. */
    config?: Partial<Config>
    names?: NameFeed
    features?: AppOptions['features']
    startMs?: number
    /** Gets every line of the log, of all levels; without it nothing is logged. */
    logLines?: string[]
  } = {},
): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-world-'))
  const database = options.engine === 'postgres' ? await createDatabase() : undefined
  // One of fewer features has fewer tables.
  if (!database && !options.features) copyStoreTemplate(dir)
  const env = {
    ROOKERY_DATA_DIR: dir,
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
    ROOKERY_LOG_LEVEL: 'fatal',
    // The disk of a busy machine is slow, and no test cuts its power.
    ROOKERY_DATABASE_FLUSH: 'off',
    ROOKERY_DATABASE_TIMEOUT_SECONDS: PATIENCE_SECONDS,
    // Computed in a thread, a few seconds after the start, for who tests them.
    ROOKERY_BADGE_MAX: '0',
    ...(database && { DATABASE_URL: database.url }),
    ...options.env,
  }
  let nowMs = options.startMs ?? WORLD_START_MS
  const clock = {
    now: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
    set: (ms: number) => {
      nowMs = ms
    },
  }
  const start = () =>
    startApp({
      config: { ...readConfig(env, 'development'), ...options.config },
      clock,
      logger: createLogger(
        options.logLines
          ? { level: 'trace', destination: { write: (line) => void options.logLines!.push(line) } }
          : { level: 'fatal' },
      ),
      // On PostgreSQL a process that stalls loses its lease, and mails that it was sending wait for a minute of the clock.
      leaderTiming: { leaseMs: PATIENCE_MS },
      ...(options.names && { names: options.names }),
      ...(options.features && { features: options.features }),
    })
  let app = await start()

  const post = async (path: string, message: SignedMessage | Uint8Array) => {
    const body = message instanceof Uint8Array ? message : encodeEnvelope(message)
    return answer(
      await fetch(app.urls.hub + path, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: body as Uint8Array<ArrayBuffer>,
      }),
    )
  }
  const accounts: World['accounts'] = async (fids, { units = 10 } = {}) => {
    const made = fids.map(testAccount)
    const seconds = Math.floor(clock.now() / 1000)
    for (let at = 0; at < made.length; at += 300) {
      const events = made.slice(at, at + 300).flatMap((one) => accountEvents(one, seconds, units))
      await app.ledger!.importEvents(events)
    }
    return made
  }
  const world: World = {
    get app() {
      return app
    },
    clock,
    env,
    accounts,
    account: async (fid, accountOptions) => (await accounts([fid], accountOptions))[0]!,
    origin: ({ fid }, timestamp = networkTime(clock.now())) => ({
      fid,
      timestamp,
      network: DEVNET,
    }),
    sign: (account, init) => buildMessage(init, account.seed),
    submit: (message) => post('/v1/submitMessage', message),
    validate: (message) => post('/v1/validateMessage', message),
    get: async (path) => answer(await fetch(app.urls.hub + path)),
    platform: (path, request) => ask(app.urls.platform + path, request),
    operate: (path, request) => ask(app.urls.operations + path, request),
    token: (account) => appToken(account, { exp: Math.floor(clock.now() / 1000) + 300 }),
    async stop() {
      const stopped = app
      // One that does not start again is not stopped again, and nothing of it stays in memory: the variables of a
      // test file live as long as its process, which runs many.
      app = { urls: stopped.urls, stop: async () => {} } as App
      await stopped.stop()
    },
    async restart(settings) {
      await world.stop()
      Object.assign(env, settings)
      app = await start()
    },
    async close() {
      await world.stop()
      await database?.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return world
}

async function ask(
  url: string,
  { method, body, token, headers }: PlatformRequest = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return answer(response)
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body, headers: response.headers }
}

/** A self-signed token of one of the account's keys. */
export function appToken({ fid, seed, key }: TestAccount, payload: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ fid, type: 'app_key', key: toHex(key) })}.${part(payload)}`
  return `${signed}.${Buffer.from(signEd25519(Buffer.from(signed), seed)).toString('base64url')}`
}

/** The account of a fid, the same in every run. */
export function testAccount(fid: number): TestAccount {
  const seed = bytesOf(`key of ${fid}`, 32)
  return { fid, seed, key: publicKeyOf(seed), custody: bytesOf(`custody of ${fid}`, 20) }
}

/** Registration, key and storage of an account, as a chain would report them in one block. */
export function accountEvents(
  account: TestAccount,
  unixSeconds: number,
  units: number,
): OnChainEvent[] {
  const { fid } = account
  const common = {
    chainId: 10,
    blockNumber: 1,
    blockHash: bytesOf('block', 32),
    blockTimestamp: BigInt(unixSeconds),
    transactionHash: bytesOf(`transaction of ${fid}`, 32),
    fid: BigInt(fid),
  }
  return [
    create(OnChainEventSchema, {
      ...common,
      type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
      logIndex: 0,
      body: {
        case: 'idRegisterEventBody',
        value: { to: account.custody, eventType: IdRegisterEventType.REGISTER },
      },
    }),
    create(OnChainEventSchema, {
      ...common,
      type: OnChainEventType.EVENT_TYPE_SIGNER,
      logIndex: 1,
      body: {
        case: 'signerEventBody',
        value: { key: account.key, keyType: 1, eventType: SignerEventType.ADD, metadataType: 1 },
      },
    }),
    create(OnChainEventSchema, {
      ...common,
      type: OnChainEventType.EVENT_TYPE_STORAGE_RENT,
      logIndex: 2,
      body: {
        case: 'storageRentEventBody',
        value: { payer: account.custody, units, expiry: unixSeconds + 31_536_000 },
      },
    }),
  ]
}

function bytesOf(text: string, length: number): Uint8Array {
  const parts = Array.from({ length: Math.ceil(length / 20) }, (_, i) =>
    hashOf(Buffer.from(`${text} ${i}`)),
  )
  return Buffer.concat(parts).subarray(0, length)
}
