import { LRUCache } from 'lru-cache'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import { Semaphore } from '../../kernel/base/concurrency.ts'
import type { OutgoingRules } from '../../kernel/http/outgoing.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import {
  type Asked,
  askTranslator,
  type Place,
  type Translated,
  TranslatorFault,
} from './asking.ts'
import {
  CACHE_BYTES,
  CACHE_MS,
  MAX_TEXT_BYTES,
  MEMBER_LEAST,
  MEMBER_SHARE,
  OF_MEMBER,
  OF_SERVER,
  PAUSE_MS,
  RUNNING,
  RUNNING_PER_MEMBER,
  WAIT_MS,
  WAITING,
  WAITING_PER_MEMBER,
} from './limits.ts'
import { TRANSLATOR_OWNER } from './sealed-translator.ts'
import { type Translator, translatorRows } from './tables/translators.ts'

const QUOTA = 'translations'
const SERVER = 'server'
/** Above the bytes of both texts. */
const ENTRY_BYTES = 300

const busy = () =>
  new Rejection('unavailable.overloaded', 'too many translations are waited for', {
    retryAfterSeconds: WAIT_MS / 1_000,
  })

export type TranslationsContext = {
  readonly storage: Storage
  readonly secrets: Pick<Secrets, 'open'>
  readonly rules: Omit<OutgoingRules, 'field'>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** Has texts translated by the translator of the operator. */
export class Translations {
  readonly #context: TranslationsContext
  readonly #stop = new AbortController()
  readonly #turns = new Semaphore({
    running: RUNNING,
    runningPerClient: RUNNING_PER_MEMBER,
    queue: {
      waiting: WAITING,
      waitingPerClient: WAITING_PER_MEMBER,
      timeoutMs: WAIT_MS,
      clientError: busy,
      busyError: busy,
    },
  })
  readonly #kept = new LRUCache<string, Translated>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ text }, key) => 2 * (text.length + key.length) + ENTRY_BYTES,
    ttl: CACHE_MS,
    // Also when nobody asks any more: the post may have been erased.
    ttlAutopurge: true,
  })
  readonly #making = new Map<string, Promise<Translated>>()
  #pausedUntil = 0

  constructor(context: TranslationsContext) {
    this.#context = context
  }

  /** Throws a Rejection unless the operator has set one up. */
  async translator(): Promise<Translator> {
    const found = await this.#context.storage.of(translatorRows).get()
    if (found) return found
    throw new Rejection('not_supported', 'this server has no translator')
  }

  /** The characters that were sent in the present window of 30 days. */
  async used(): Promise<number> {
    const { storage, nowMs } = this.#context
    const [row] = await storage.quotas.used(QUOTA, [SERVER])
    return row && row.ends_at > nowMs() ? row.amount : 0
  }

  /** A translation for a member, who pays for it unless it is there already. `name` is of the post: no other text has it. */
  async of(
    translator: Translator,
    { fid, name, ...asked }: Asked & { readonly fid: number; readonly name: string },
  ): Promise<Translated> {
    if (Buffer.byteLength(asked.text) > MAX_TEXT_BYTES) {
      const text = `texts of more than ${MAX_TEXT_BYTES} bytes are not translated`
      throw new Rejection('bad_request.too_large', text, { field: 'cast_hash' })
    }
    const key = `${name} ${asked.to} ${translator.changed_at} ${translator.address}`
    const find = () => this.#kept.get(key) ?? this.#making.get(key)
    const known = find()
    if (known) return known
    if (this.#context.nowMs() < this.#pausedUntil) throw tooMuch()
    await this.#charge(fid, asked.text.length, translator.monthly)
    return find() ?? this.#make(key, fid, translator, asked)
  }

  #make(key: string, fid: number, translator: Translator, asked: Asked): Promise<Translated> {
    const making = this.#turns
      .run(`${fid}`, () => this.ask(this.#placeOf(translator), asked))
      .then((made) => {
        this.#kept.set(key, made)
        return made
      })
      .finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    return making
  }

  /** Asks without a price, as for the operator. */
  async ask(place: Place, asked: Asked): Promise<Translated> {
    const { rules, nowMs } = this.#context
    try {
      return await askTranslator(place, asked, rules, { stop: this.#stop.signal })
    } catch (error) {
      if (error instanceof TranslatorFault && error.isTooMuch) {
        this.#pausedUntil = nowMs() + PAUSE_MS
      }
      throw error
    }
  }

  /** What is kept of a post that is not shown any more goes. */
  forget(name: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${name} `)) this.#kept.delete(key)
  }

  /** Another translator is asked at once. */
  changed(): void {
    this.#kept.clear()
    this.#pausedUntil = 0
  }

  abort(): void {
    this.#stop.abort()
  }

  /** The key of a row as it was given. */
  keyOf({ secret }: Pick<Translator, 'secret'>): string {
    if (secret.length === 0) return ''
    const key = this.#context.secrets.open(secret, TRANSLATOR_OWNER)
    if (!key) throw new TranslatorFault('this server has lost the key with which it keeps secrets')
    return Buffer.from(key).toString()
  }

  #placeOf(translator: Translator): Place {
    return { ...translator, key: this.keyOf(translator) }
  }

  /** Counts a request of a member, and its characters for the server, before anything is sent. */
  async #charge(fid: number, characters: number, monthly: number): Promise<void> {
    const { storage, nowMs } = this.#context
    await storage.write('translations/used', async (tx) => {
      const share = `${fid} share`
      const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [`${fid}`, share, SERVER]))
      const now = nowMs()
      const ofMember = quota.tryConsume(`${fid}`, OF_MEMBER, now)
      if (ofMember) {
        throw refusalOf(ofMember, `Too many translations: ${OF_MEMBER.max} an hour for one account`)
      }
      const terms = { ...OF_SERVER, maxAmount: monthly }
      const ofServer = quota.tryConsume(SERVER, terms, now, characters)
      if (ofServer) {
        throw refusalOf(ofServer, 'This server has translated as much as it may in 30 days')
      }
      const maxAmount = Math.max(monthly * MEMBER_SHARE, MEMBER_LEAST)
      const ofShare = quota.tryConsume(share, { ...OF_SERVER, maxAmount }, now, characters)
      if (ofShare) {
        const most =
          'Too many translations: a quarter of what all may have in 30 days for one account'
        throw refusalOf(ofShare, most)
      }
      await tx.quotas.put(quota.changed)
    })
  }
}

const tooMuch = () => new TranslatorFault('this server has asked it for too much', true)
