import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { QueuedKind } from './kinds.ts'

// Links in mails. What they open has a button: programs that open links change nothing. Tokens stand behind a #, so that neither
// this server nor a proxy has them in a log. Only links for one click of a mail program have theirs in the query.

const TOKEN_BYTES = 32

/** A token that counts once: the link has it, the store its hash. */
export const newToken = (): { readonly token: string; readonly hash: Uint8Array } => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashOfToken(token) }
}

export const hashOfToken = (token: string): Uint8Array =>
  createHash('sha256').update(token).digest()

type LinkContext = {
  readonly publicUrl: string
  readonly key: () => Promise<Uint8Array>
}

type Unsubscribing = { readonly fid: number; readonly kind: QueuedKind }

/** Links that follow from a key of the server: they hold for as long as what they are about, and nothing is stored of them. */
export class OwnLinks {
  readonly #context: LinkContext

  constructor(context: LinkContext) {
    this.#context = context
  }

  page = (what: string, token: string): string => `${this.#context.publicUrl}/mail#${what}=${token}`

  /** Of one address: with another one, older mails end nothing. */
  async unsubscribe(fid: number, address: string, kind: QueuedKind) {
    const token = `${fid}.${kind}.${await this.#mac(`unsubscribe ${fid} ${kind} ${address}`)}`
    return {
      page: this.page('stop-mails', token),
      oneClick: `${this.#context.publicUrl}/accounts/v1/mail/unsubscribe?token=${token}`,
    }
  }

  /** What a token of `unsubscribe` is about, before it is checked. */
  readUnsubscribe(token: string): Unsubscribing | undefined {
    const [fid, kind] = token.split('.')
    return Number.isSafeInteger(Number(fid))
      ? { fid: Number(fid), kind: kind as QueuedKind }
      : undefined
  }

  async isOfUnsubscribe(token: string, address: string): Promise<boolean> {
    const { fid, kind } = this.readUnsubscribe(token) ?? { fid: 0, kind: 'link' }
    return equal(
      token,
      `${fid}.${kind}.${await this.#mac(`unsubscribe ${fid} ${kind} ${address}`)}`,
    )
  }

  /** A name of a text that does not tell it. */
  hidden = async (text: string): Promise<string> => this.#mac(`hidden ${text}`)

  async #mac(text: string): Promise<string> {
    return createHmac('sha256', await this.#context.key())
      .update(text)
      .digest('base64url')
  }
}

/** In the same time for each text. */
const equal = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
