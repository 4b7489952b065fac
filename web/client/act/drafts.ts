import type { PollDraft } from './poll.ts'
import type { SignedCast } from './writes.ts'

// What was written and not sent, by account and place. It stays in this browser, so that leaving the page loses nothing.

/** A picture or video that was uploaded for it. The server keeps what no cast uses for a day. */
export type DraftFile = {
  readonly url: string
  readonly name: string
  readonly isVideo: boolean
  readonly alt: string
  /** Whether its description was written here. Otherwise it is that of the server, which may have changed since. */
  readonly isWritten?: boolean | undefined
}

export type Draft = {
  readonly text: string
  /** The id of the chosen channel; empty for none. */
  readonly channel: string
  readonly files: readonly DraftFile[]
  /** Whether readers are to ask for the files before they see them. */
  readonly isSensitive: boolean
  readonly poll?: PollDraft | undefined
  /** The texts of the posts that follow it, each a reply to the one before. */
  readonly more: readonly string[]
  /** The own post that was sent before it in the same thread. */
  readonly after?: string | undefined
  /** The first one as it is signed, while nobody knows whether it arrived: it is sent as it is, or not at all. */
  readonly pending?: SignedCast | undefined
}
type Stored = Draft & { readonly fid: number; readonly place: string }

const STORE = 'rookery.drafts'
/** Of all accounts and places; beyond it the draft that was changed least recently goes. */
const MAX_DRAFTS = 20
/** Ten times the longest cast: what is to be shortened is kept too. */
const MAX_CHARACTERS = 10_240
/** Of all drafts as they are stored, a twentieth of what a site may store here. */
const MAX_STORED_CHARACTERS = 256_000
export const NO_DRAFT: Draft = { text: '', channel: '', files: [], isSensitive: false, more: [] }

/** Where a draft belongs: to a reply, a quote, a channel, or to none of them. */
export const placeOf = (params: URLSearchParams): string =>
  ['reply', 'quote', 'channel']
    .map((kind) => [kind, params.get(kind)])
    .filter(([, id]) => id)
    .map((parts) => parts.join(' '))
    .join(' ') || 'new'

export const findDraft = (fid: number, place: string): Draft | undefined =>
  readAll().find((one) => one.fid === fid && one.place === place)

/** Replaces the draft of a place; one without text, files and a poll is removed. */
export function saveDraft(fid: number, place: string, draft: Draft): void {
  const { text, files, poll, more, pending } = draft
  const others = readAll().filter((one) => one.fid !== fid || one.place !== place)
  const kept = {
    ...draft,
    fid,
    place,
    text: text.slice(0, MAX_CHARACTERS),
    more: more.map((one) => one.slice(0, MAX_CHARACTERS)),
  }
  const isEmpty =
    [text, ...more].every((one) => one.trim() === '') && files.length === 0 && !poll && !pending
  writeAll(isEmpty ? others : [...others, kept])
}

export const forgetDraft = (fid: number, place: string): void => saveDraft(fid, place, NO_DRAFT)

/** Of an account that leaves this browser. */
export const forgetDraftsOf = (fid: number): void =>
  writeAll(readAll().filter((one) => one.fid !== fid))

function writeAll(drafts: readonly Stored[]): void {
  const kept = drafts.slice(-MAX_DRAFTS)
  while (JSON.stringify(kept).length > MAX_STORED_CHARACTERS) kept.shift()
  try {
    localStorage.setItem(STORE, JSON.stringify(kept))
  } catch {
    // Without storage, as in some private windows, drafts end with the page.
  }
}

/** The draft that was changed last is the last one. */
function readAll(): Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? '[]')
    // Earlier versions kept less.
    const all = Array.isArray(stored) ? stored.map((one) => ({ ...NO_DRAFT, ...one })) : []
    return all.filter(isStored)
  } catch {
    return []
  }
}

const isStored = (value: Partial<Stored>): value is Stored =>
  typeof value.fid === 'number' &&
  [value.place, value.text, value.channel].every((part) => typeof part === 'string') &&
  Array.isArray(value.files) &&
  value.files.every(({ url, name, alt }) =>
    [url, name, alt].every((part) => typeof part === 'string'),
  ) &&
  Array.isArray(value.more) &&
  value.more.every((one) => typeof one === 'string') &&
  (value.after === undefined || typeof value.after === 'string') &&
  (value.pending === undefined || isSigned(value.pending)) &&
  (value.poll === undefined || isPoll(value.poll))

const isSigned = ({ hash, message }: Partial<SignedCast>): boolean =>
  [hash, message].every((part) => typeof part === 'string')

const isPoll = ({ id, question, answers, seconds }: Partial<PollDraft>): boolean =>
  [id, question].every((part) => typeof part === 'string') &&
  typeof seconds === 'number' &&
  Array.isArray(answers) &&
  answers.every((answer) => typeof answer === 'string')
