import { LRUCache } from 'lru-cache'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { checkUrl } from '../../kernel/http/outgoing.ts'
import type { Say } from '../../kernel/http/translator.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MINUTE_MS } from '../../kernel/protocol/time.ts'
import { type PressAnswer, type SignedMethod, sendSigned, targetOf } from './asking.ts'
import { readPage } from './page.ts'
import { type Jfs, readSigned, type SignedPress } from './payload.ts'
import type { SnapPage } from './types.ts'

/** The field of a press that names the server of the snap. */
export const TARGET_FIELD = 'target'

/** Speaks to who looks: most links are no snaps of this server, and need no language. */
export type SayLater = () => Promise<Say>

/** Snaps that this server serves itself: they are read and pressed here, and not over the network. */
export type OwnSnaps = {
  isOwn(url: URL): boolean
  /** What is at these URLs for everybody, by URL; nothing for those without a snap of this server. */
  pagesAt(urls: readonly URL[], say: SayLater): Promise<ReadonlyMap<string, OwnPage>>
  /** The page for a user whose signature is proven. Throws a Rejection in words for the user. */
  answer(url: URL, given: Signed): Promise<object>
}
export type OwnPage = {
  readonly title: string
  readonly description: string
  readonly page: object
}
type Signed = Pick<SignedPress, 'fid' | 'inputs'> & { readonly method: SignedMethod }

/** A press that comes again within this time has the answer of the first. Its signature is refused later anyway. */
const REMEMBERED_MS = 10 * MINUTE_MS
/** Of answers in memory: a page has up to 256 KiB as it is sent, most have 2. */
const MAX_REMEMBERED_BYTES = 8 * 1024 * 1024
/** A press that is under way, and what an answer has besides its page. */
const OVERHEAD_BYTES = 1_024
/** Memory of a page, for each byte as it was sent: objects are larger than their JSON. */
const MEMORY_PER_BYTE = 4

export type SnapContext = {
  readonly isOff: boolean
  readonly allowLoopback: boolean
  readonly clock: Clock
  /** Changes when other data take the place of the stored ones: then presses are sent again. */
  readonly resets: () => number
  readonly accounts: Pick<Accounts, 'isActiveKey'>
  /** Whether a key may act for the fid on this server: gasless ones, too, of which other servers know nothing. */
  readonly isKeyHere: Accounts['isActiveKey']
  /** Throws when the operator has suspended the fid. */
  readonly checkMayAct: (fid: number) => Promise<void>
  /** Of these hosts those whose apps the operator has removed. */
  readonly removedHosts: (hosts: readonly string[]) => Promise<ReadonlySet<string>>
}

export type Press = {
  /** POST unless given. */
  readonly method?: SignedMethod
  readonly target: string
  readonly jfs: Jfs
  /** Called with the fid once its signature is proven. */
  readonly onProven: (fid: number) => void
  /** Waits until the client may ask another site. */
  readonly runLimited: <T>(url: URL, work: () => Promise<T>) => Promise<T>
}

/** Sends what users have signed on to the servers of snaps. */
export class Snaps {
  readonly #context: SnapContext
  #own: OwnSnaps | undefined
  readonly #stop = new AbortController()
  /** By what was signed and where it goes: a press that is under way, or that had a page, is not sent again. */
  readonly #sent = new LRUCache<string, Promise<PressAnswer>>({
    maxSize: MAX_REMEMBERED_BYTES,
    ttl: REMEMBERED_MS,
  })

  constructor(context: SnapContext) {
    this.#context = context
  }

  get isOff(): boolean {
    return this.#context.isOff
  }

  get allowLoopback(): boolean {
    return this.#context.allowLoopback
  }

  /** From now on these are asked here. */
  serveHere(own: OwnSnaps): void {
    this.#own = own
  }

  /** Whether a URL is one of a snap of this server, which may be gone. */
  isOwn(url: URL): boolean {
    return !this.isOff && this.#own?.isOwn(url) === true
  }

  /** The snaps of this server at these URLs, by URL, in somebody's language. */
  async ownPages(
    urls: readonly URL[],
    say: SayLater,
  ): Promise<ReadonlyMap<string, OwnPage & { page: SnapPage }>> {
    const pages = this.isOff ? undefined : await this.#own?.pagesAt(urls, say)
    return new Map(
      [...(pages ?? [])].map(([href, own]) => [href, { ...own, page: this.#pageOf(own.page) }]),
    )
  }

  #pageOf(document: object): SnapPage {
    // A server on this machine may name itself.
    const { page, faults } = readPage(document, { allowLoopback: true })
    if (page) return page
    throw new Error(`a snap of this server cannot be drawn: ${JSON.stringify(faults)}`)
  }

  /** Of these hosts those of which this server shows no snaps. */
  async blockedHosts(hosts: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#context.isOff ? new Set(hosts) : this.#context.removedHosts(hosts)
  }

  /** Checks what a user has signed and sends it; the answer is that of the server of the snap. */
  async press({ method = 'POST', target: text, jfs, ...given }: Press): Promise<PressAnswer> {
    const target = targetOf(text, TARGET_FIELD)
    const own = this.isOwn(target) ? this.#own : undefined
    if (!own) await this.#checkTarget(target)
    const { fid, inputs } = await this.#checkSigned(jfs, target, own !== undefined)
    given.onProven(fid)
    await this.#context.checkMayAct(fid)
    if (own) {
      const page = this.#pageOf(await own.answer(target, { method, fid, inputs }))
      return { status: 200, bytes: 0, read: { page, faults: [] } }
    }
    const name = `${this.#context.resets()} ${method} ${target.href} ${jfs.signature}`
    const known = this.#sent.get(name)
    if (known) return known
    const rules = { allowLoopback: this.allowLoopback, field: TARGET_FIELD }
    const sent = given.runLimited(target, () =>
      sendSigned(method, target, jfs, rules, this.#stop.signal),
    )
    this.#remember(name, sent, 0)
    // What had no page may be tried again, with the same inputs in the same second.
    const forget = () => this.#sent.delete(name)
    sent.then(
      ({ read, bytes }) => (read?.page ? this.#remember(name, sent, bytes) : forget()),
      forget,
    )
    return sent
  }

  /** Throws a Rejection unless a user has signed this for the target with an active key. */
  async #checkSigned(jfs: Jfs, target: URL, isOwn: boolean): Promise<SignedPress> {
    const { accounts, clock, isKeyHere } = this.#context
    const terms = { target, now: unixSeconds(clock), mayBeVersion1: !isOwn }
    const signed = readSigned(jfs, terms)
    const { fid, key } = signed
    if (await (isOwn ? isKeyHere(fid, key) : accounts.isActiveKey(fid, key))) return signed
    const text = `header names a key that is not an active key of fid ${fid}: servers of snaps ask a hub for it`
    throw new Rejection('bad_request.validation_failure', text, { field: 'header' })
  }

  async #checkTarget(target: URL): Promise<void> {
    checkUrl(target, { allowLoopback: this.allowLoopback, field: TARGET_FIELD })
    if ((await this.blockedHosts([target.host])).has(target.host)) {
      const what = this.isOff ? 'this server shows no snaps' : `${target.host} is blocked here`
      throw new Rejection('unauthorized', what, { field: TARGET_FIELD })
    }
  }

  #remember(name: string, sent: Promise<PressAnswer>, bytes: number): void {
    // The cache keeps the size of a value that is set again.
    this.#sent.delete(name)
    this.#sent.set(name, sent, { size: OVERHEAD_BYTES + MEMORY_PER_BYTE * bytes })
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stop.abort()
  }
}
