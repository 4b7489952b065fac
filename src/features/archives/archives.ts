import { makeZip } from 'client-zip'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { SayToAccounts } from '../languages/port.ts'
import { mediaRows } from '../media/port.ts'
import { endOfNonce, makeNonce } from '../sign-in/port.ts'
import { entriesOf } from './entries.ts'
import { openSource, type SourceTerms } from './source.ts'

const QUOTA = 'archives'
/** Archives of one account in an hour: enough for downloads that broke off. */
const MAX_AN_HOUR = 6
/** Archives that one process sends at a time: each may read for minutes. */
const MAX_AT_A_TIME = 8
/** Time within which a download has to begin. */
const TICKET_MS = 10 * MINUTE_MS

type ArchiveTerms = SourceTerms & {
  readonly sayTo: SayToAccounts
  /** A secret of this server that tickets are sealed with. */
  readonly secretOf: () => Promise<string>
}

type Archive = {
  /** The name of the file. */
  readonly name: string
  readonly parts: () => AsyncGenerator<Uint8Array>
  readonly close: () => void
}

/** Archives of accounts, made while they are sent: nothing of them is kept. */
export class Archives {
  readonly #terms: ArchiveTerms
  /** The accounts whose archives are being sent. */
  readonly #sending = new Set<number>()

  constructor(terms: ArchiveTerms) {
    this.#terms = terms
  }

  /** A ticket for the archive of an account, whose owner asks; counted by account and hour. */
  async prepare(fid: number) {
    const { storage, clock } = this.#terms
    const now = clock.now()
    await consumeArchive(storage, fid, now)
    const [mediaBytes, usage] = await Promise.all([
      storage.of(mediaRows).bytesOf(fid),
      storage.messages.usage([fid]),
    ])
    return {
      ticket: `${fid}-${makeNonce(await this.#secretOf(fid), now, TICKET_MS)}`,
      expiresAt: Math.floor((now + TICKET_MS) / 1_000),
      messages: usage.reduce((sum, { count }) => sum + count, 0),
      mediaBytes,
    }
  }

  /** The archive that a ticket is for. To be closed. Throws a Rejection while another one of the account is sent. */
  async open(ticket: string): Promise<Archive> {
    const { clock } = this.#terms
    const now = clock.now()
    const { fid: text = '', nonce = '' } =
      /^(?<fid>\d{1,10})-(?<nonce>.+)$/.exec(ticket)?.groups ?? {}
    const fid = Number(text)
    if (endOfNonce(await this.#secretOf(fid), nonce, now, TICKET_MS) === undefined) {
      throw new Rejection(
        'not_found',
        'the ticket is not from here or has expired: ask for a new one',
      )
    }
    this.#begin(fid)
    const close = () => void this.#sending.delete(fid)
    try {
      const { storage, sayTo } = this.#terms
      const source = await openSource(this.#terms, fid)
      const say = (await sayTo(storage, [fid]))(fid)
      const day = new Date(now).toISOString().slice(0, 10)
      const person = source.profile.username?.replace(/[^a-z0-9.-]/g, '') || `account-${fid}`
      const name = `${person}-${day}.zip`
      return { name, parts: () => zipped(entriesOf(source, say)), close }
    } catch (error) {
      close()
      throw error
    }
  }

  #begin(fid: number): void {
    if (this.#sending.has(fid)) {
      const text = 'an archive of this account is being sent already: wait until it has arrived'
      throw new Rejection('rate_limited', text, { retryAfterSeconds: 30 })
    }
    if (this.#sending.size >= MAX_AT_A_TIME) {
      const text = 'too many archives are being sent: try again in a few minutes'
      throw new Rejection('unavailable.overloaded', text, { retryAfterSeconds: 60 })
    }
    this.#sending.add(fid)
  }

  async #secretOf(fid: number): Promise<string> {
    return `${await this.#terms.secretOf()} archive ${fid}`
  }
}

const consumeArchive = (storage: Storage, fid: number, now: number): Promise<void> =>
  storage.write(`fid/${fid}`, async (tx) => {
    const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [`${fid}`]))
    const exceeded = quota.tryConsume(`${fid}`, { windowMs: HOUR_MS, max: MAX_AN_HOUR }, now)
    if (exceeded)
      throw refusalOf(exceeded, `too many archives: ${MAX_AN_HOUR} an hour for one account`)
    await tx.quotas.put(quota.changed)
  })

async function* zipped(entries: ReturnType<typeof entriesOf>): AsyncGenerator<Uint8Array> {
  yield* makeZip(entries)
}
