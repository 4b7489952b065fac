import { Refusal } from '../../shared/request.ts'
import { type Draft, NO_DRAFT } from './drafts.ts'
import { type SignedCast, sendCast } from './writes.ts'

// Sends a draft: one post, or a thread of several, each a reply to the one before.

/** Posts of a thread that are sent in one go. */
export const MAX_POSTS = 10

/** Not everything was sent. `rest` is what is left to send, as a draft. */
export class Unfinished extends Error {
  readonly rest: Draft
  /** Hashes of what was sent now. */
  readonly sent: readonly string[]

  constructor(cause: Error, rest: Draft, sent: readonly string[]) {
    super(cause.message, { cause })
    this.rest = rest
    this.sent = sent
  }
}

/** What a server answers before it stores anything: it is full, has too much to do, or cannot ask somebody else. */
const NOT_STORED = ['unavailable.storage_failure', 'unavailable.network_failure']

/**
 * Whether the server has said that it did not store it. Without an answer, or with one of a broken server, nobody knows; nor
 * where an earlier one was missing and this one is not about the message.
 */
const isRefused = (error: unknown, wasPending: boolean): boolean =>
  error instanceof Refusal &&
  (error.status < 500 || (!wasPending && NOT_STORED.includes(error.reason ?? '')))

/**
 * Signs and sends the posts of a draft in order, and keeps what is left before each is sent: who closes the page goes on
 * there. A post that may have arrived is sent again as it was signed, so that it is stored once. Returns the hashes.
 */
export async function sendDraft(
  draft: Draft,
  {
    sign,
    keep,
  }: {
    /** Signs the first post of a draft. */
    sign: (draft: Draft) => Promise<SignedCast>
    keep: (rest: Draft) => void
  },
): Promise<string[]> {
  const sent: string[] = []
  for (let rest = draft; ; ) {
    const wasPending = rest.pending !== undefined
    try {
      const pending = rest.pending ?? (await sign(rest))
      rest = { ...rest, pending }
      keep(rest)
      sent.push(await sendCast(pending))
    } catch (error) {
      if (isRefused(error, wasPending)) rest = { ...rest, pending: undefined }
      keep(rest)
      throw new Unfinished(error as Error, rest, sent)
    }
    const [text, ...more] = rest.more
    if (text === undefined) return sent
    rest = { ...NO_DRAFT, text, more, after: sent.at(-1) }
    keep(rest)
  }
}
