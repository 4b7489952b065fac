import type { Reader } from '../../../kernel/storage/storage.ts'
import { runsOf } from '../../../kernel/views/words.ts'
import type { MutedTerm } from '../../mutes/tables/muted-terms.ts'
import { mutedTermRows } from '../../mutes/tables/muted-terms.ts'

// What a user mutes besides accounts: words and channels. Lists leave such casts out; who opens a cast or a channel sees it.

/** Whether a user mutes a cast with this text in this channel. */
export type Muted = (cast: {
  readonly text: string
  readonly channel: string | undefined
}) => boolean

const NOTHING: Muted = () => false

/** Reads what a user mutes. */
export async function readMuted(
  { of }: Pick<Reader, 'of'>,
  fid: number | undefined,
): Promise<Muted> {
  return fid === undefined ? NOTHING : mutedOf(await of(mutedTermRows).of(fid))
}

export function mutedOf(terms: readonly Pick<MutedTerm, 'kind' | 'term'>[]): Muted {
  const of = (kind: MutedTerm['kind']) =>
    terms.filter((one) => one.kind === kind).map(({ term }) => term)
  const channels = new Set(of('channel'))
  const words = of('word').map(tokensOf)
  if (channels.size === 0 && words.length === 0) return NOTHING
  return ({ text, channel }) => {
    if (channel !== undefined && channels.has(channel)) return true
    if (words.length === 0) return false
    const tokens = tokensOf(text)
    return words.some((word) => tokens.includes(word))
  }
}

/** The words of a text as search compares them, each between line feeds. Empty for a text without words. */
export function tokensOf(text: string): string {
  const tokens = runsOf(text).flat()
  return tokens.length === 0 ? '' : `\n${tokens.join('\n')}\n`
}
