import { runsOf } from '../../views/words.ts'
import type { AppContext } from '../context.ts'
import type { MutedTerm } from '../ports.ts'

// What a user mutes besides accounts: words and channels. Lists leave such casts out; who opens a cast or a channel sees it.

/** Whether a user mutes a cast with this text in this channel. */
export type Muted = (cast: {
  readonly text: string
  readonly channel: string | undefined
}) => boolean

const NOTHING: Muted = () => false

/** Reads what a user mutes. */
export async function readMuted(
  { storage, ports }: Pick<AppContext, 'storage' | 'ports'>,
  fid: number | undefined,
): Promise<Muted> {
  return fid === undefined ? NOTHING : mutedOf(await ports.mutedTermsOf(storage, fid))
}

export function mutedOf(terms: readonly MutedTerm[]): Muted {
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
