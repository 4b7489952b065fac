import { LRUCache } from 'lru-cache'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { checkUrl } from '../../kernel/http/outgoing.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MINUTE_MS } from '../../kernel/protocol/time.ts'
import { type PressAnswer, sendPress, targetOf } from './asking.ts'
import { type Jfs, readSigned } from './payload.ts'

/** The field of a press that names the server of the snap. */
export const TARGET_FIELD = 'target'
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
  readonly accounts: Pick<Accounts, 'isActiveKey'>
  /** Whether the operator has removed what a host shows. */
  readonly isBlocked: (host: string) => Promise<boolean>
}

export type Press = {
  readonly target: string
  readonly jfs: Jfs
  /** Called with the fid once its signature is proven. */
  readonly onProven: (fid: number) => void
  /** Waits until the client may ask another site. */
  readonly runLimited: <T>(url: URL, work: () => Promise<T>) => Promise<T>
}

/** Sends presses on to the servers of snaps. */
export class Snaps {
  readonly #context: SnapContext
  readonly #stop = new AbortController()
  /** By signature: a press that is under way, or that had a page, is not sent again. */
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

  /** Whether links to a host are shown as snaps. */
  async mayShow({ host }: URL): Promise<boolean> {
    return !this.#context.isOff && !(await this.#context.isBlocked(host))
  }

  /** Checks what a user has signed and sends it; the answer is that of the server of the snap. */
  async press({ target: text, jfs, onProven, runLimited }: Press): Promise<PressAnswer> {
    const { allowLoopback, accounts, clock } = this.#context
    const target = targetOf(text, TARGET_FIELD)
    checkUrl(target, { allowLoopback, field: TARGET_FIELD })
    if (!(await this.mayShow(target))) {
      const what = this.isOff ? 'this server shows no snaps' : `${target.host} is blocked here`
      throw new Rejection('unauthorized', what, { field: TARGET_FIELD })
    }
    const { fid, key } = readSigned(jfs, target, unixSeconds(clock))
    if (!(await accounts.isActiveKey(fid, key))) {
      const text = `header names a key that is not an active key of fid ${fid}: servers of snaps ask a hub for it`
      throw new Rejection('bad_request.validation_failure', text, { field: 'header' })
    }
    onProven(fid)
    const known = this.#sent.get(jfs.signature)
    if (known) return known
    const rules = { allowLoopback, field: TARGET_FIELD }
    const sent = runLimited(target, () => sendPress(target, jfs, rules, this.#stop.signal))
    this.#remember(jfs, sent, 0)
    // What had no page may be tried again, with the same inputs in the same second.
    const forget = () => this.#sent.delete(jfs.signature)
    sent.then(
      ({ read, bytes }) => (read?.page ? this.#remember(jfs, sent, bytes) : forget()),
      forget,
    )
    return sent
  }

  #remember({ signature }: Jfs, sent: Promise<PressAnswer>, bytes: number): void {
    // The cache keeps the size of a value that is set again.
    this.#sent.delete(signature)
    this.#sent.set(signature, sent, { size: OVERHEAD_BYTES + MEMORY_PER_BYTE * bytes })
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stop.abort()
  }
}
