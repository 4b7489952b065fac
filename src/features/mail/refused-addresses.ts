import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Say } from '../../kernel/http/translator.ts'
import { mailboxOf } from '../../kernel/protocol/mail-address.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { mailAddressRows } from './tables/addresses.ts'

// Who gets a mail about an address that a stranger has entered can say so: for a time no more links are sent there, whoever asks for
// them. The link in the mail names the mailbox by a keyed hash, and no account.

/** No more links are sent for so long. */
export const REFUSED_MS = 90 * DAY_MS
/** A mail that is read later than this refuses nothing; what it has refused it allows again as long as that lasts. */
export const REFUSAL_LINK_MS = 30 * DAY_MS
/** Addresses that are remembered; each has had a mail with a link, which are bounded by the hour. */
const MAX_REFUSED = 100_000

type RefusedTerms = {
  readonly storage: Storage
  readonly hidden: (address: string) => Promise<string>
  /** The key with which links that refuse are made. */
  readonly key: () => Promise<Uint8Array>
  readonly page: (what: string, token: string) => string
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export class RefusedAddresses {
  readonly #terms: RefusedTerms

  constructor(terms: RefusedTerms) {
    this.#terms = terms
  }

  /** A link with which whoever reads the mail of this address ends that links are sent there. */
  async link(address: string) {
    const { hidden, page, nowMs } = this.#terms
    const name = await hidden(mailboxOf(address))
    const token = await this.#token(name, nowMs() + REFUSAL_LINK_MS)
    const url = page('not-me', token)
    return (say: Say) => ({ label: say('This was not me: send no more of these'), url })
  }

  async isRefused({ of }: Pick<Reader, 'of'>, address: string): Promise<boolean> {
    const { hidden, nowMs } = this.#terms
    return of(mailAddressRows).isRefused(await hidden(mailboxOf(address)), nowMs())
  }

  /** Sends no more links to the address of this token for a time, or allows them again. Doing it once more changes nothing. */
  async set(token: string, isRefused: boolean): Promise<void> {
    const { storage, nowMs } = this.#terms
    const name = await this.#read(token, isRefused ? 0 : REFUSED_MS)
    if (name === undefined) {
      const text = 'the link is not whole or is too old: use the one of the newest mail'
      throw new Rejection('not_found', text, { field: 'token' })
    }
    await storage.write('all/mails', async (tx) => {
      if (isRefused) await tx.of(mailAddressRows).refuse(name, nowMs() + REFUSED_MS, MAX_REFUSED)
      else await tx.of(mailAddressRows).allow(name)
    })
  }

  async #token(name: string, ends: number): Promise<string> {
    const named = `${name}.${ends}`
    return `${named}.${createHmac('sha256', await this.#terms.key())
      .update(named)
      .digest('base64url')}`
  }

  /** The name in a token that has ended less than `spareMs` ago. */
  async #read(token: string, spareMs: number): Promise<string | undefined> {
    const [name = '', ends = ''] = token.split('.')
    const right = Buffer.from(await this.#token(name, Number(ends)))
    const given = Buffer.from(token)
    const isRight = right.length === given.length && timingSafeEqual(right, given)
    return isRight && Number(ends) + spareMs > this.#terms.nowMs() ? name : undefined
  }
}
