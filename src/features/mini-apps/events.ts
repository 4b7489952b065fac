import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { isFullGaslessKey } from '../../kernel/platform/gasless-keys.ts'
import { equalBytes, fromBase64, fromHex, fromUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { SIGNATURE_BYTES, verifyEd25519 } from '../../kernel/protocol/crypto/ed25519.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type MiniAppCatalogue, miniAppPart, unknownApp } from './catalogue.ts'
import type { MiniAppContext } from './context.ts'
import type { Manifest } from './manifest-fields.ts'
import {
  ASKED_BY_OTHERS,
  type MiniAppEvent,
  type MiniAppEventName,
  miniAppDeliveryRows,
} from './tables/mini-app-deliveries.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'

// What a user does with an app: adding and removing it, and switching its notifications on and off. The user's key signs each
// event for the server of the app, so it takes two steps: this server writes the payload, and gets the signature.

/** The greatest number of apps that one user has added. */
export const MAX_ADDED_MINI_APPS = 200
/** Events of one user that wait for a signature, and those that others have asked for; the oldest of each are dropped. */
const MAX_UNSIGNED = 100
const SIGNED_WITHIN_SECONDS = 600
const TOKEN_BYTES = 24
const ID_BYTES = 16
/** Events that one user signs in a day: each is kept for a week, and its token for a month. */
const MAX_SIGNED_PER_DAY = 500
const SIGNED = 'mini app events'
/** Where apps send their notifications. */
export const NOTIFICATIONS_PATH = '/v1/frame-notifications'

type Context = Pick<
  MiniAppContext,
  'storage' | 'now' | 'clock' | 'accounts' | 'randomBytes' | 'publicUrl'
>

export type WantedEvent = {
  readonly domain: string
  readonly event: MiniAppEventName
  /** Whether an app that is added may notify; it may unless this is false. */
  readonly notifications?: boolean | undefined
}

/** What the user's key has to sign: the payload as it is, after the header and a dot. */
export type UnsignedEvent = {
  readonly id: string
  readonly payload: string
  readonly expiresAt: number
}

export type SignedEvent = {
  readonly id: string
  readonly header: string
  readonly signature: string
}

export type NotificationDetails = { readonly url: string; readonly token: string }

export type EventOutcome = {
  readonly added: boolean
  readonly notifies: boolean
  readonly notificationDetails?: NotificationDetails
  /** Whether the server of the app is told. */
  readonly webhook: 'queued' | 'none'
}

const encode = (text: string) => Buffer.from(text).toString('base64url')

export class MiniAppEvents {
  readonly #context: Context
  readonly #catalogue: MiniAppCatalogue

  constructor(context: Context, catalogue: MiniAppCatalogue) {
    this.#context = context
    this.#catalogue = catalogue
  }

  /**
   * The first step: the payload that the user has to sign. It is refused when it would change nothing, unless somebody else
   * asks: they must not learn which apps the user has added.
   */
  async prepare(
    fid: number,
    wanted: WantedEvent,
    { byUser = true }: { readonly byUser?: boolean } = {},
  ): Promise<UnsignedEvent> {
    const { storage, accounts, now, randomBytes } = this.#context
    if (!(await accounts.custodyOf(fid))) {
      throw new Rejection('not_found', `fid ${fid} is not registered`, { field: 'fid' })
    }
    const app = await this.#appFor(wanted)
    const expires_at = now() + SIGNED_WITHIN_SECONDS
    const random = Buffer.from(randomBytes(ID_BYTES)).toString('base64url')
    const id = byUser ? random : ASKED_BY_OTHERS + random
    const payload = this.#payloadOf(wanted)
    await storage.write([`fid/${fid}`, miniAppPart(app.domain)], async (tx) => {
      if (byUser) await checkMayHappen(tx, fid, app, wanted.event)
      const event = { id, fid, app_id: app.id, event: wanted.event, payload, expires_at }
      await tx.of(miniAppDeliveryRows).addEvent(event, MAX_UNSIGNED)
    })
    return { id, payload: encode(payload), expiresAt: expires_at }
  }

  /** The second step: stores what was signed, and queues it for the server of the app. */
  async complete(fid: number, signed: SignedEvent): Promise<EventOutcome> {
    const { storage, now } = this.#context
    const event = await storage.of(miniAppDeliveryRows).event(signed.id)
    const app = event && (await storage.of(miniAppRows).byId(event.app_id))
    if (!app || event.fid !== fid || event.expires_at <= now()) throw unknownEvent()
    const { webhookUrl } = JSON.parse(app.manifest) as Manifest
    await this.#checkSigned(fid, event, signed, webhookUrl !== undefined)
    return storage.write([`fid/${fid}`, miniAppPart(app.domain)], async (tx) => {
      if ((await tx.of(miniAppDeliveryRows).removeEvent(event.id)) === 0) throw unknownEvent()
      if (!(await tx.of(miniAppRows).byId(app.id))) throw unknownApp(app.domain)
      await checkMayHappen(tx, fid, app, event.event)
      await this.#consume(tx, fid)
      const { notificationDetails } = JSON.parse(event.payload) as {
        notificationDetails?: NotificationDetails
      }
      await this.#apply(tx, event, notificationDetails?.token)
      const isTold = webhookUrl !== undefined && app.state !== 'removed'
      if (isTold) await this.#queue(tx, event, signed)
      const added = event.event !== 'miniapp_removed'
      return {
        added,
        notifies: notificationDetails !== undefined,
        ...(notificationDetails && { notificationDetails }),
        webhook: isTold ? 'queued' : 'none',
      }
    })
  }

  /** The same by what was signed, for clients that only have the payload. */
  async completeSigned(
    text: string,
    signed: { readonly header: string; readonly payload: string; readonly signature: string },
  ): Promise<EventOutcome> {
    const { storage } = this.#context
    const fid = fidIn(signed.header)
    const app = await storage.of(miniAppRows).byDomain(this.#catalogue.domainOf(text))
    const events = await storage.of(miniAppDeliveryRows).eventsOf(fid, 2 * MAX_UNSIGNED)
    const event = events.find(
      ({ app_id, payload }) => app_id === app?.id && encode(payload) === signed.payload,
    )
    if (!event) throw unknownEvent()
    return this.complete(fid, { ...signed, id: event.id })
  }

  /** What an app may use to notify a user, when the user lets it. */
  detailsOf(token: string | null | undefined): NotificationDetails | undefined {
    return token ? { url: `${this.#context.publicUrl()}${NOTIFICATIONS_PATH}`, token } : undefined
  }

  /** An app that is removed or has faults can still be removed from a list, and silenced. */
  async #appFor({ domain: text, event }: WantedEvent): Promise<StoredMiniApp> {
    if (event === 'miniapp_removed' || event === 'notifications_disabled') {
      const domain = this.#catalogue.domainOf(text)
      const known = await this.#context.storage.of(miniAppRows).byDomain(domain)
      if (known) return known
      throw unknownApp(domain)
    }
    const app = await this.#catalogue.get(text)
    if (app.state === 'listed') return app
    const why = 'its manifest has had faults for days, or has another author'
    throw new Rejection('bad_request.conflict', `${app.domain} cannot be added: ${why}`, {
      field: 'domain',
    })
  }

  #payloadOf({ event, notifications }: WantedEvent): string {
    const isGranted =
      event === 'notifications_enabled' || (event === 'miniapp_added' && notifications !== false)
    const token = Buffer.from(this.#context.randomBytes(TOKEN_BYTES)).toString('base64url')
    return JSON.stringify({
      event,
      ...(isGranted && { notificationDetails: this.detailsOf(token) }),
    })
  }

  async #checkSigned(
    fid: number,
    { payload }: MiniAppEvent,
    { header, signature }: SignedEvent,
    isTold: boolean,
  ): Promise<void> {
    const key = keyIn(header, fid)
    const bytes = fromBase64(signature)
    const text = Buffer.from(`${header}.${encode(payload)}`)
    if (bytes?.length !== SIGNATURE_BYTES || !verifyEd25519(bytes, text, key)) {
      throw invalid('signature', 'is not that of the key over header.payload')
    }
    if (await this.#context.accounts.isActiveKey(fid, key)) return
    const { storage, now } = this.#context
    if (!(await isFullGaslessKey(storage, { fid, key }, now()))) {
      throw invalid('header', `names a key that is not an active key of fid ${fid}`)
    }
    if (isTold) {
      const what = 'names a gasless key: servers of apps can verify on-chain keys only'
      throw invalid('header', what)
    }
  }

  async #consume({ quotas }: Writer, fid: number): Promise<void> {
    const subject = String(fid)
    const quota = new Quota(SIGNED, await quotas.used(SIGNED, [subject]))
    const terms = { windowMs: DAY_MS, max: MAX_SIGNED_PER_DAY }
    const exceeded = quota.tryConsume(subject, terms, this.#context.clock.now())
    const text = `a user adds, removes and switches mini apps ${MAX_SIGNED_PER_DAY} times a day`
    if (exceeded) throw refusalOf(exceeded, text)
    await quotas.put(quota.changed)
  }

  async #apply(tx: Writer, { fid, app_id, event }: MiniAppEvent, token: string | undefined) {
    const now = this.#context.now()
    await tx.of(miniAppNoticeRows).disableTokens(fid, app_id, now)
    if (event === 'miniapp_removed') {
      await tx.of(miniAppUserRows).remove(fid, app_id)
      await tx.of(miniAppRows).addPeople(app_id, -1)
      return
    }
    if (token) {
      const state = 'enabled' as const
      await tx.of(miniAppNoticeRows).addToken({ token, fid, app_id, state, changed_at: now })
    }
    const known = await tx.of(miniAppUserRows).added(fid, app_id)
    await tx.of(miniAppUserRows).put({
      fid,
      app_id,
      added_at: known?.added_at ?? now,
      notifies: token ? 1 : 0,
      changed_at: now,
    })
    if (!known) await tx.of(miniAppRows).addPeople(app_id, 1)
  }

  async #queue(tx: Writer, event: MiniAppEvent, { header, signature }: SignedEvent) {
    const nowMs = this.#context.clock.now()
    await tx.of(miniAppDeliveryRows).add({
      app_id: event.app_id,
      fid: event.fid,
      event: event.event,
      body: JSON.stringify({ header, payload: encode(event.payload), signature }),
      state: 'waiting',
      attempts: 0,
      due: nowMs,
      queued_at: nowMs,
      answer: null,
      ended_at: null,
    })
  }
}

/** Throws unless the event changes something. */
async function checkMayHappen(
  tx: Writer,
  fid: number,
  { id, domain }: StoredMiniApp,
  event: MiniAppEventName,
): Promise<void> {
  const conflict = (text: string) => new Rejection('bad_request.conflict', text, { field: 'event' })
  const added = await tx.of(miniAppUserRows).added(fid, id)
  if (event === 'miniapp_added') {
    if (added) throw conflict(`fid ${fid} has added ${domain} already`)
    if ((await tx.of(miniAppUserRows).addedCount(fid)) >= MAX_ADDED_MINI_APPS) {
      throw conflict(`fid ${fid} has added ${MAX_ADDED_MINI_APPS} mini apps; one has to go first`)
    }
    return
  }
  if (!added) throw conflict(`fid ${fid} has not added ${domain}`)
  if (event === 'notifications_enabled' && added.notifies) {
    throw conflict(`${domain} may notify fid ${fid} already`)
  }
  if (event === 'notifications_disabled' && !added.notifies) {
    throw conflict(`${domain} may not notify fid ${fid} already`)
  }
}

type Header = { readonly fid?: unknown; readonly type?: unknown; readonly key?: unknown }

function headerIn(text: string): Header | null {
  try {
    return JSON.parse(fromUtf8(fromBase64(text)!) ?? '')
  } catch {
    return null
  }
}

/** The account that a header names. */
function fidIn(header: string): number {
  const fid = headerIn(header)?.fid
  if (Number.isInteger(fid) && (fid as number) > 0 && (fid as number) < 2 ** 32)
    return fid as number
  throw invalid('header', 'must name a fid')
}

/** The key of a header, which must be one of the account. */
function keyIn(header: string, fid: number): Uint8Array {
  const head = headerIn(header)
  if (head?.fid !== fid || head.type !== 'app_key') {
    throw invalid('header', `must be {"fid":${fid},"type":"app_key","key":"0x…"} in base64url`)
  }
  const key = typeof head.key === 'string' ? fromHex(head.key) : undefined
  if (key?.length === 32 && !equalBytes(key, new Uint8Array(32))) return key
  throw invalid('header', 'must name a key of 32 bytes in hex')
}

const invalid = (field: string, what: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${what}`, { field })
const unknownEvent = () =>
  new Rejection('not_found', 'there is no such event that waits for a signature', { field: 'id' })
