import { createHmac, timingSafeEqual } from 'node:crypto'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { CHOSEN_KINDS, type ChosenKind } from './kinds.ts'
import { mailAddressRows } from './tables/addresses.ts'

// One click that ends one kind of mail (RFC 8058). The token stands in the path, because mail programs post to an address that the mail
// names and send no body of ours. So it can do nothing else, and follows from a key: nothing is stored of it.

type Terms = {
  readonly storage: Storage
  readonly key: () => Promise<Uint8Array>
}

type Subscribed = { readonly fid: number; readonly kind: ChosenKind; readonly address: string }

export class Unsubscribing {
  readonly #terms: Terms

  constructor(terms: Terms) {
    this.#terms = terms
  }

  async token({ fid, kind, address }: Subscribed): Promise<string> {
    const mac = createHmac('sha256', await this.#terms.key())
    return `${fid}.${kind}.${mac.update(`${fid}.${kind}.${address}`).digest('base64url')}`
  }

  /** Ends one kind of mail to an address. Doing it once more changes nothing, also when the account has another address now. */
  async end(token: string): Promise<void> {
    const [fid, kind] = token.split('.')
    const asked = { fid: Number(fid), kind: CHOSEN_KINDS.find((one) => one === kind) }
    if (!Number.isSafeInteger(asked.fid) || !asked.kind) throw notWhole()
    const { storage } = this.#terms
    const row = await storage.of(mailAddressRows).find(asked.fid)
    const right = Buffer.from(
      await this.token({ fid: asked.fid, kind: asked.kind, address: row?.address ?? '' }),
    )
    const given = Buffer.from(token)
    if (right.length !== given.length) throw notWhole()
    // What the answer says does not depend on whether there is such an account.
    if (!row || !timingSafeEqual(right, given)) return
    const off = asked.kind === 'digest' ? NO_DIGEST : ({ [asked.kind]: 0 } as const)
    await storage.write('all/mails', (tx) => tx.of(mailAddressRows).choose(asked.fid, off))
  }
}

export const NO_DIGEST = { digest: 'off', digest_due: null } as const

const notWhole = () =>
  new Rejection('not_found', 'the link is not whole: open it from the mail once more', {
    field: 'token',
  })
