// What was written and not sent, by account and place. It stays in this browser, so that leaving the page loses nothing.

export type Draft = {
  readonly text: string
  /** The id of the chosen channel; empty for none. */
  readonly channel: string
}
type Stored = Draft & { readonly fid: number; readonly place: string }

const STORE = 'rookery.drafts'
/** Of all accounts and places; beyond it the draft that was changed least recently goes. */
const MAX_DRAFTS = 20
/** Ten times the longest cast: what is to be shortened is kept too. */
const MAX_CHARACTERS = 10_240

/** Where a draft belongs: to a reply, a quote, a channel, or to none of them. */
export const placeOf = (params: URLSearchParams): string =>
  ['reply', 'quote', 'channel']
    .map((kind) => [kind, params.get(kind)])
    .filter(([, id]) => id)
    .map((parts) => parts.join(' '))
    .join(' ') || 'new'

export const findDraft = (fid: number, place: string): Draft | undefined =>
  readAll().find((one) => one.fid === fid && one.place === place)

/** Replaces the draft of a place; an empty text removes it. */
export function saveDraft(fid: number, place: string, { text, channel }: Draft): void {
  const others = readAll().filter((one) => one.fid !== fid || one.place !== place)
  const kept = text.slice(0, MAX_CHARACTERS)
  const all = text.trim() === '' ? others : [...others, { fid, place, text: kept, channel }]
  try {
    localStorage.setItem(STORE, JSON.stringify(all.slice(-MAX_DRAFTS)))
  } catch {
    // Without storage, as in some private windows, drafts end with the page.
  }
}

export const forgetDraft = (fid: number, place: string): void =>
  saveDraft(fid, place, { text: '', channel: '' })

/** The draft that was changed last is the last one. */
function readAll(): Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isStored) : []
  } catch {
    return []
  }
}

const isStored = (value: Partial<Stored> | null): value is Stored =>
  typeof value?.fid === 'number' &&
  [value.place, value.text, value.channel].every((part) => typeof part === 'string')
