import type { Job } from '../../kernel/jobs/job.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, DAY_SECONDS, HOUR_MS } from '../../kernel/protocol/time.ts'
import type { PlatformPart, Writer } from '../../kernel/storage/storage.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import type { MiniAppContext } from './context.ts'
import { domainOf, hostOf } from './domain.ts'
import { type Fault, isError, lineOf } from './faults.ts'
import { type Inspection, inspect } from './inspection.ts'
import type { Manifest } from './manifest-fields.ts'
import { checkNotOwn } from './own-origin.ts'
import { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'
import type { MiniAppManifest, StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'

/** The greatest number of apps: a search looks at all of them. */
const MAX_MINI_APPS = 10_000
/** The greatest number of apps that one account has signed, those removed by the operator included. */
const MAX_MINI_APPS_OF_AUTHOR = 100
/** The greatest number of featured apps. */
export const MAX_FEATURED_MINI_APPS = 100
/** The age at which a manifest is fetched again. */
const REFRESH_AFTER_SECONDS = DAY_SECONDS
/** Manifests fetched in one run of the hourly job, and how many of them concurrently. */
const REFRESHED_PER_RUN = 500
const REFRESHED_AT_ONCE = 4
/** An app whose manifest has faults stays listed with the last good one for this time. */
const KEPT_WITH_FAULTS_SECONDS = 7 * DAY_SECONDS
/** In development every launch reads the manifest, but not more often than this. */
const FRESH_SECONDS = 2
/** Manifests that one account may have fetched in a day. */
const MAX_LOOKS_PER_DAY = 20
const LOOKS = 'mini app looks'

type Context = Pick<
  MiniAppContext,
  'storage' | 'now' | 'clock' | 'settings' | 'accounts' | 'verify' | 'ownHosts' | 'onError'
>

/** The lock of one app with its users, by its domain. */
export const miniAppPart = (domain: string): PlatformPart => `mini-app/${domain}`

/** The mini apps that are listed, which users may add and the operator maintains. */
export class MiniAppCatalogue {
  /** Fetches manifests again that are a day old. Stops between two batches. */
  readonly job: Job = {
    name: 'refresh mini apps',
    scope: 'leader',
    everyMs: HOUR_MS,
    run: ({ signal }) => this.refreshStale(() => signal.aborted),
  }
  readonly #context: Context
  /** Domains whose manifests are being read because somebody launches them. */
  readonly #inspecting = new Map<string, Promise<StoredMiniApp | undefined>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** The normalized domain of a request. Throws when mini apps are off, or the domain is none that an app may have. */
  domainOf(text: string, read = domainOf): string {
    const { settings } = this.#context
    if (settings.mode === 'off') throw miniAppsAreOff()
    const domain = read(text, settings.fetchLoopback)
    checkNotOwn(domain, this.#context.ownHosts())
    return domain
  }

  /** An app that is neither removed nor of a hidden author. In development its manifest is read first. */
  async find(text: string): Promise<StoredMiniApp | undefined> {
    const domain = this.domainOf(text)
    const known = await this.#context.storage.of(miniAppRows).byDomain(domain)
    if (known && (await this.#isRemoved(known))) return undefined
    if (this.#context.settings.mode !== 'any') return known
    if (known && this.#context.now() - known.looked_at < FRESH_SECONDS) return known
    return this.#inspecting.getOrInsertComputed(domain, () =>
      this.#inspectAgain(domain, known).finally(() => this.#inspecting.delete(domain)),
    )
  }

  async get(text: string): Promise<StoredMiniApp> {
    const found = await this.find(text)
    if (found) return found
    throw unknownApp(text)
  }

  /** An app of an account, for what only its author may see and do. */
  async getOwn(text: string, fid: number): Promise<StoredMiniApp> {
    const domain = this.domainOf(text)
    const app = await this.#context.storage.of(miniAppRows).byDomain(domain)
    if (!app) throw unknownApp(domain)
    if (this.mayActFor(app, fid)) return app
    throw new Rejection('unauthorized', `${domain} is not an app of fid ${fid}`)
  }

  /** Whether an account may act for an app: as its author, in development for unsigned ones too. */
  mayActFor({ author_fid }: Pick<StoredMiniApp, 'author_fid'>, fid: number): boolean {
    if (author_fid === fid) return true
    return author_fid === 0 && this.#context.settings.mode === 'any'
  }

  /** The apps that an account may act for. */
  async appsOf(fid: number, limit: number): Promise<StoredMiniApp[]> {
    const { storage, settings } = this.#context
    const own = await storage.of(miniAppRows).ofAuthor(fid, limit)
    if (settings.mode !== 'any') return own
    return [...own, ...(await storage.of(miniAppRows).ofAuthor(0, limit))]
  }

  /** Of these hosts those that the operator has removed. A removed host has none of its ports. */
  async removedHosts(hosts: readonly string[]): Promise<ReadonlySet<string>> {
    if (hosts.length === 0) return new Set()
    const names = new Set(hosts.flatMap((host) => [host, withoutPort(host)]))
    const known = await this.#context.storage.of(miniAppRows).byDomains([...names])
    const removed = new Set(
      known.filter(({ state }) => state === 'removed').map(({ domain }) => domain),
    )
    return new Set(hosts.filter((host) => removed.has(host) || removed.has(withoutPort(host))))
  }

  /** Whether the page of a domain may be shown in a frame. */
  async mayFrame(domain: string): Promise<boolean> {
    const { settings, storage } = this.#context
    const known = await storage.of(miniAppRows).byDomain(domain)
    if (!known) return settings.mode === 'any'
    if (await this.#isRemoved(known)) return false
    return known.state === 'listed' || (known.state === 'faulty' && settings.mode === 'any')
  }

  /** Lists an app for its author, or updates it from its manifest. */
  async list(text: string, actor: number): Promise<StoredMiniApp> {
    const domain = this.domainOf(text)
    const { mode } = this.#context.settings
    const known = await this.#context.storage.of(miniAppRows).byDomain(domain)
    if (known?.state === 'removed') {
      throw new Rejection('unauthorized', `the operator has removed ${domain}`)
    }
    if (mode === 'listed' && known?.author_fid !== actor) {
      throw new Rejection('unauthorized', 'only the operator of this server lists mini apps')
    }
    if (mode !== 'any') await this.#consumeLook(actor)
    const inspected = await inspect(this.#context, domain, { allowsUnsigned: mode === 'any' })
    if (inspected.manifest && mode !== 'any' && inspected.author !== actor) {
      const text = `${domain} is signed by fid ${inspected.author}: only that account may list it`
      throw new Rejection('unauthorized', text)
    }
    return this.#put(domain, inspected)
  }

  /** Adds an app for the operator, unsigned too. */
  async add(text: string): Promise<StoredMiniApp> {
    const domain = this.domainOf(text)
    return this.#put(domain, await inspect(this.#context, domain, { allowsUnsigned: true }))
  }

  async refresh(text: string): Promise<StoredMiniApp> {
    const domain = this.domainOf(text)
    const known = await this.#context.storage.of(miniAppRows).byDomain(domain)
    if (!known) throw unknownApp(domain)
    return this.#refresh(known)
  }

  /** Fetches the manifests that were not fetched for a day. Several processes may share the work. */
  async refreshStale(isStopped: () => boolean = () => false): Promise<void> {
    const { storage, now, settings } = this.#context
    if (settings.mode === 'off') return
    for (let left = REFRESHED_PER_RUN; left > 0 && !isStopped(); left -= REFRESHED_AT_ONCE) {
      const before = now() - REFRESH_AFTER_SECONDS
      const stale = await storage.write('all/mini-apps', (tx) =>
        tx.of(miniAppRows).takeStale(before, now(), REFRESHED_AT_ONCE),
      )
      if (stale.length === 0) return
      await Promise.all(stale.map((one) => this.#refreshAlone(one)))
    }
  }

  /** One app that fails keeps none of the others from being read. */
  async #refreshAlone(known: StoredMiniApp): Promise<void> {
    await this.#refresh(known).catch((error) => {
      if (error instanceof Rejection) return
      this.#context.onError(error, `refresh the mini app ${known.domain}`)
    })
  }

  /** Deletes an app with everything about it, for its author. */
  async withdraw(text: string, actor: number): Promise<void> {
    const domain = this.domainOf(text)
    await this.#write(domain, async (tx, known) => {
      if (!known) return
      if (!this.mayActFor(known, actor)) {
        throw new Rejection('unauthorized', `${domain} is not an app of fid ${actor}`)
      }
      // What the operator has removed stays known, so that it is not listed again.
      if (known.state !== 'removed') await tx.of(miniAppRows).remove(known.id)
    })
  }

  /**
   * Removes an app or brings it back, for the operator, whose decision is in the log of moderation. A host without an app can be
   * removed as well: it may have snaps.
   */
  setRemoved(
    text: string,
    isRemoved: boolean,
    decision: { readonly actor: string; readonly reason: string },
  ): Promise<void> {
    const domain = this.domainOf(text, hostOf)
    const locks = ['hub', 'all/mini-apps', miniAppPart(domain)] as const
    return this.#context.storage.write(locks, async (tx) => {
      const known = await tx.of(miniAppRows).byDomain(domain)
      if (!known && !isRemoved) throw unknownApp(domain)
      if ((known?.state === 'removed') === isRemoved) return
      if (!known) await this.#insertRemoved(tx, domain)
      else if (isRemoved) await this.#remove(tx, known)
      else await restore(tx, known)
      await tx.of(moderationLogRows).add({
        ...{ ...decision, at: this.#context.now(), fid: null, cast_hash: null, name: domain },
        action: isRemoved ? 'remove-app' : 'restore-app',
      })
    })
  }

  async #insertRemoved(tx: Writer, domain: string): Promise<void> {
    await checkRoom(tx)
    const now = this.#context.now()
    await tx
      .of(miniAppRows)
      .insert({ ...NO_APP, domain, name: domain, looked_at: now, created_at: now })
  }

  async #remove({ of }: Writer, known: StoredMiniApp): Promise<void> {
    await of(miniAppRows).setState(known.id, { ...known, state: 'removed' })
    const text = 'the operator has removed the app'
    await of(miniAppDeliveryRows).drop(known.id, text, this.#context.clock.now())
  }

  /** Replaces the list of featured apps. */
  feature(domains: readonly string[]): Promise<void> {
    const names = domains.map((domain) => this.domainOf(domain))
    return this.#context.storage.write('all/mini-apps', async (tx) => {
      const found = new Map(
        (await tx.of(miniAppRows).byDomains(names)).map((one) => [one.domain, one.id]),
      )
      const ids = names.map((domain, i) => {
        const id = found.get(domain)
        if (id === undefined) throw unknownApp(domain, `domains.${i}`)
        return id
      })
      if (new Set(ids).size < ids.length) {
        const text = 'domains must not name an app twice'
        throw new Rejection('bad_request.validation_failure', text, { field: 'domains' })
      }
      await tx.of(miniAppRows).putFeatured(ids)
    })
  }

  /** Whether the operator has removed an app, or hidden its author. */
  async #isRemoved({ state, author_fid }: StoredMiniApp): Promise<boolean> {
    if (state === 'removed' || author_fid === 0) return state === 'removed'
    return (await this.#context.storage.moderation.account(author_fid))?.hidden === 1
  }

  async #inspectAgain(
    domain: string,
    known: StoredMiniApp | undefined,
  ): Promise<StoredMiniApp | undefined> {
    const inspected = await inspect(this.#context, domain, { allowsUnsigned: true })
    if (inspected.manifest) return this.#put(domain, inspected)
    return known && this.#putFaults(known, inspected.faults)
  }

  async #refresh(known: StoredMiniApp): Promise<StoredMiniApp> {
    const allowsUnsigned = known.author_fid === 0 || this.#context.settings.mode === 'any'
    const inspected = await inspect(this.#context, known.domain, { allowsUnsigned })
    if (!inspected.manifest) return this.#putFaults(known, inspected.faults)
    if (known.author_fid !== 0 && inspected.author !== known.author_fid) {
      return this.#putFaults(known, [...inspected.faults, authorChanged(known, inspected.author)])
    }
    return this.#put(known.domain, inspected)
  }

  /** Stores a manifest that was checked. Throws a Rejection with all faults when it has errors. */
  async #put(domain: string, inspected: Inspection): Promise<StoredMiniApp> {
    const { manifest } = inspected
    if (!manifest) throw faulty(inspected.faults)
    const stored = await this.#store(domain, inspected, manifest)
    const { canonicalDomain = domain } = manifest
    return canonicalDomain === domain ? stored : this.#follow(stored, canonicalDomain)
  }

  #store(domain: string, inspected: Inspection, manifest: Manifest): Promise<StoredMiniApp> {
    return this.#write(domain, async (tx, known) => {
      const now = this.#context.now()
      const row = rowOf(domain, inspected, manifest, now)
      if (!known) {
        await checkRoom(tx)
        await checkRoomOf(tx, inspected.author)
        await tx.of(miniAppRows).insert({ ...row, domain, created_at: now })
      } else {
        const state = known.state === 'removed' ? known.state : row.state
        await tx.of(miniAppRows).update(known.id, { ...row, state })
      }
      return (await tx.of(miniAppRows).byDomain(domain))!
    })
  }

  /**
   * Moves the users of an app to the domain that its manifest names, with their tokens, when the same author has listed that
   * domain too. Nobody else can take users over: both domains are signed.
   */
  #follow(from: StoredMiniApp, to: string): Promise<StoredMiniApp> {
    const parts = ['all/mini-apps', miniAppPart(from.domain), miniAppPart(to)] as const
    return this.#context.storage.write(parts, async (tx) => {
      const [old, target] = [
        await tx.of(miniAppRows).byDomain(from.domain),
        await tx.of(miniAppRows).byDomain(to),
      ]
      if (!old) throw unknownApp(from.domain)
      const isSame = target?.state === 'listed' && target.author_fid === old.author_fid
      if (!isSame || old.author_fid === 0 || old.state === 'removed') return old
      await tx.of(miniAppUserRows).move(old.id, target.id, this.#context.now())
      const fault = JSON.stringify([hasMoved(to)])
      await tx.of(miniAppRows).setState(old.id, { ...old, state: 'faulty', fault })
      return (await tx.of(miniAppRows).byDomain(from.domain))!
    })
  }

  /** Stores the faults of a manifest. The app stays listed for some days, unless its author has changed. */
  #putFaults({ domain }: StoredMiniApp, faults: readonly Fault[]): Promise<StoredMiniApp> {
    return this.#write(domain, async (tx, known) => {
      // The app may have been removed meanwhile.
      if (!known) throw unknownApp(domain)
      const looked_at = this.#context.now()
      const isKept = looked_at - known.good_at < KEPT_WITH_FAULTS_SECONDS
      const isOver = !isKept || faults.some(({ code }) => code === 'author_changed')
      const state = known.state === 'listed' && isOver ? 'faulty' : known.state
      const fault = JSON.stringify(faults)
      await tx.of(miniAppRows).setState(known.id, { state, fault, looked_at })
      return { ...known, state, fault, looked_at }
    })
  }

  #write<T>(
    domain: string,
    work: (tx: Writer, known: StoredMiniApp | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#context.storage.write(['all/mini-apps', miniAppPart(domain)], async (tx) =>
      work(tx, await tx.of(miniAppRows).byDomain(domain)),
    )
  }

  /** Counts a fetch that an account causes. */
  #consumeLook(fid: number): Promise<void> {
    const { storage, clock } = this.#context
    return storage.write(`fid/${fid}`, async (tx) => {
      const subject = String(fid)
      const quota = new Quota(LOOKS, await tx.quotas.used(LOOKS, [subject]))
      const terms = { windowMs: DAY_MS, max: MAX_LOOKS_PER_DAY }
      const exceeded = quota.tryConsume(subject, terms, clock.now())
      const text = `a user may list or refresh apps ${MAX_LOOKS_PER_DAY} times a day`
      if (exceeded) throw refusalOf(exceeded, text)
      await tx.quotas.put(quota.changed)
    })
  }
}

async function restore({ of }: Writer, known: StoredMiniApp): Promise<void> {
  const isKnown = known.manifest !== NO_APP.manifest
  // A host that never had an app is forgotten.
  if (!isKnown && known.author_fid === 0) return of(miniAppRows).remove(known.id)
  // Of an app whose author was erased since only the domain is left: it is listed once its manifest was read again.
  await of(miniAppRows).setState(known.id, { ...known, state: isKnown ? 'listed' : 'faulty' })
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

async function checkRoom({ of }: Writer): Promise<void> {
  if ((await of(miniAppRows).count()) < MAX_MINI_APPS) return
  const text = `${MAX_MINI_APPS} mini apps are listed; one has to go first`
  throw new Rejection('bad_request.conflict', text)
}

/** Throws when an account has listed so many apps that another one would take the places of others. */
async function checkRoomOf({ of }: Writer, author: number): Promise<void> {
  if (author === 0) return
  const own = await of(miniAppRows).ofAuthor(author, MAX_MINI_APPS_OF_AUTHOR)
  if (own.length < MAX_MINI_APPS_OF_AUTHOR) return
  const text = `fid ${author} has listed ${MAX_MINI_APPS_OF_AUTHOR} mini apps; one has to go first`
  throw new Rejection('bad_request.conflict', text)
}

/** A removed host of which no manifest was ever read. */
const NO_APP = {
  author_fid: 0,
  state: 'removed',
  category: null,
  noindex: 1,
  words: '',
  manifest: '{}',
  chains: '',
  association: null,
  good_at: 0,
  fault: null,
} as const

function rowOf(
  domain: string,
  { author, association, faults }: Inspection,
  manifest: Manifest,
  now: number,
): MiniAppManifest {
  const { name, subtitle, description, tags = [], primaryCategory, noindex } = manifest
  const { requiredChains = [] } = manifest
  return {
    author_fid: author,
    state: 'listed',
    name,
    category: primaryCategory ?? null,
    noindex: noindex ? 1 : 0,
    words: [name, subtitle, description, ...tags, domain].filter(Boolean).join(' ').toLowerCase(),
    manifest: JSON.stringify(manifest),
    chains: requiredChains.length > 0 ? `,${requiredChains.join()},` : '',
    association: association ? JSON.stringify(association) : null,
    looked_at: now,
    good_at: now,
    fault: faults.length > 0 ? JSON.stringify(faults) : null,
  }
}

const hasMoved = (to: string): Fault => ({
  severity: 'error',
  code: 'other_domain',
  path: 'miniapp.canonicalDomain',
  message: `says that the app has moved to ${to}, and its users have moved with it`,
  fix: `Open ${to}.`,
})

const authorChanged = ({ domain, author_fid }: StoredMiniApp, author: number): Fault => ({
  severity: 'error',
  code: 'author_changed',
  path: 'accountAssociation',
  message: `is signed by ${author === 0 ? 'nobody' : `fid ${author}`} now, and was by fid ${author_fid}`,
  fix: `The account that holds ${domain} now has to list it again.`,
})

/** The refusal of a manifest. Its data has all faults. */
function faulty(faults: readonly Fault[]): Rejection {
  const errors = faults.filter(isError)
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more faults)` : ''
  return new Rejection('bad_request.validation_failure', `${lineOf(errors[0]!)}${more}`, {
    field: 'domain',
    data: { faults },
  })
}

export const unknownApp = (domain: string, field = 'domain'): Rejection =>
  new Rejection('not_found', `no mini app of ${domain.slice(0, 300)} is listed here`, { field })

const miniAppsAreOff = () =>
  new Rejection('not_supported', 'this server has no mini apps (ROOKERY_MINI_APPS)')
