import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { DEVELOPMENT_KEY, WEB_KEY } from '../../kernel/app-api/given-keys.ts'
import type { Mode } from '../base/setting.ts'
import type { Caller } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Storage } from '../storage/storage.ts'
import { type AppKey, MAX_APPS, type StoredApp } from '../storage/tables/apps.ts'
import { orLastKnown } from './last-known.ts'

// Apps and their keys: who sends a request to the app API.

/** The app that sent a request. */
export type AppCaller = Caller & { readonly app: StoredApp }

export type NewApp = {
  readonly name: string
  readonly fid: number
  /** Requests a minute in place of the limits of the server. */
  readonly readLimit?: number | undefined
  readonly writeLimit?: number | undefined
  readonly searchLimit?: number | undefined
}

export const DEVELOPMENT_APP_UUID = '00000000-0000-4000-8000-000000000001'
const DEVELOPMENT_APP: StoredApp = {
  uuid: DEVELOPMENT_APP_UUID,
  name: 'development',
  fid: 1,
  read_limit: null,
  write_limit: null,
  search_limit: null,
  created_at: 0,
}

/** The web client, which everybody may use. It has no bans, no mutes and no signers of its own. */
const WEB_APP: StoredApp = {
  ...DEVELOPMENT_APP,
  uuid: '00000000-0000-4000-8000-000000000002',
  name: 'web',
}

/** 192 bits cannot be guessed. */
const APP_KEY_BYTES = 24
const MAX_KEY_CHARACTERS = 256
/** How long a revoked key works in other processes. */
const MAX_COPY_AGE_MS = 1_000
/** Keys that are cached. */
const MAX_KEYS = 10_000

type AppsContext = {
  readonly storage: Storage
  readonly mode: Mode
  /** Unix seconds. */
  readonly now: () => number
}

/** Identifies callers by their keys, and lets the operator manage apps. */
export class Apps {
  readonly #context: AppsContext
  /** While the primary is away nobody can change keys. */
  readonly #newestVersion: () => Promise<string>
  /** By the hash of the key; undefined for a key that is not in force. */
  #callers = new Map<string, AppCaller | undefined>()
  #version: string | undefined
  #resets = 0
  #checkedAtMs = Number.NEGATIVE_INFINITY

  constructor(context: AppsContext) {
    this.#context = context
    this.#newestVersion = orLastKnown(() => context.storage.apps.version())
  }

  /** Throws a Rejection unless the headers have a key that is in force. */
  async identify(headers: IncomingHttpHeaders): Promise<AppCaller> {
    const text = headers['x-api-key'] ?? headers.api_key
    if (typeof text !== 'string' || text === '') throw unauthenticated('is missing')
    // It is counted by the address: nobody uses up the limit of the key for others.
    if (text === WEB_KEY) return { ...callerOf(WEB_APP, undefined), isReadOnly: true }
    await this.#refresh()
    const caller = text.length > MAX_KEY_CHARACTERS ? undefined : await this.#find(text)
    if (!caller) throw unauthenticated('is not known, or was revoked')
    return caller
  }

  /** Adds an app. The answer has the only copy of its first key. */
  async create({ name, fid, ...limits }: NewApp): Promise<{ app: StoredApp; key: string }> {
    const { storage, now } = this.#context
    const app: StoredApp = {
      uuid: randomUUID(),
      name,
      fid,
      read_limit: limits.readLimit ?? null,
      write_limit: limits.writeLimit ?? null,
      search_limit: limits.searchLimit ?? null,
      created_at: now(),
    }
    await storage.write('all/apps', async (tx) => {
      if ((await tx.apps.count()) >= MAX_APPS) {
        throw new Rejection('bad_request.conflict', `there are ${MAX_APPS} apps already`)
      }
      await tx.apps.put(app)
    })
    return { app, key: await this.#putKey(app.uuid) }
  }

  /** Every app with its keys. */
  async list(): Promise<{ app: StoredApp; keys: AppKey[] }[]> {
    const { storage, mode } = this.#context
    const [stored, keys] = await Promise.all([storage.apps.list(), storage.apps.keys()])
    const apps = mode === 'development' ? [DEVELOPMENT_APP, ...stored] : stored
    return apps.map((app) => ({ app, keys: keys.filter((key) => key.app === app.uuid) }))
  }

  /** Adds a key to an app and returns the only copy of it. */
  async addKey(uuid: string): Promise<string> {
    const app = await this.#context.storage.apps.app(uuid)
    if (!app) throw new Rejection('not_found', `no app ${uuid}`)
    return this.#putKey(uuid)
  }

  /** Revokes the key with this hash. */
  async revoke(hash: Uint8Array): Promise<void> {
    const { storage, now } = this.#context
    await storage.write('all/apps', async (tx) => {
      const key = await tx.apps.key(hash)
      if (!key) throw new Rejection('not_found', 'no key has this id')
      if (key.revoked_at === null) await tx.apps.putKey({ ...key, revoked_at: now() })
    })
    this.#forget()
  }

  async #putKey(app: string): Promise<string> {
    const { storage, now } = this.#context
    const text = randomBytes(APP_KEY_BYTES).toString('base64url')
    const key = { hash: hashOfKey(text), app, created_at: now(), revoked_at: null }
    await storage.write('all/apps', (tx) => tx.apps.putKey(key))
    this.#forget()
    return text
  }

  /** Drops the cache when another process may have changed keys. */
  async #refresh(): Promise<void> {
    const nowMs = performance.now()
    const resets = this.#context.storage.resets()
    // At once: requests that come during the read below must not find what the data before had.
    if (resets !== this.#resets) this.#forget()
    if (nowMs - this.#checkedAtMs < MAX_COPY_AGE_MS) return
    this.#resets = resets
    this.#checkedAtMs = nowMs
    const newest = await this.#newestVersion()
    if (newest !== this.#version) this.#forget()
    this.#version = newest
  }

  /** In a new map: a read that has begun puts what it found into the old one. */
  #forget(): void {
    this.#callers = new Map()
    this.#checkedAtMs = Number.NEGATIVE_INFINITY
  }

  async #find(text: string): Promise<AppCaller | undefined> {
    const hash = hashOfKey(text)
    const id = hash.toString('hex')
    const callers = this.#callers
    if (callers.has(id)) return callers.get(id)
    const app = await this.#appOfKey(text, hash)
    const caller = app && callerOf(app, id)
    if (callers.size >= MAX_KEYS) callers.delete(callers.keys().next().value!)
    callers.set(id, caller)
    return caller
  }

  async #appOfKey(text: string, hash: Uint8Array): Promise<StoredApp | undefined> {
    const { storage, mode } = this.#context
    if (mode === 'development' && text === DEVELOPMENT_KEY) return DEVELOPMENT_APP
    const key = await storage.apps.key(hash)
    return key && key.revoked_at === null ? storage.apps.app(key.app) : undefined
  }
}

const hashOfKey = (text: string): Buffer => createHash('sha256').update(text).digest()

const callerOf = (app: StoredApp, id: string | undefined): AppCaller => ({
  id,
  app,
  limits: {
    read: app.read_limit ?? undefined,
    write: app.write_limit ?? undefined,
    search: app.search_limit ?? undefined,
  },
})

const unauthenticated = (what: string): Rejection =>
  new Rejection('unauthenticated', `the API key ${what}; send it as the header x-api-key`)
