// The displayed text of a cast: mentions inserted as names, and the ranges of mentions of users and channels.

/** In UTF-16 units; the end is not included. */
export type TextRange = { readonly start: number; readonly end: number }

export type CastText = {
  readonly text: string
  /** In the order of the text. */
  readonly mentions: readonly { readonly fid: number; readonly range: TextRange }[]
}

/**
 * Inserts mentions into the text of a cast.
 * @param positions byte offsets into the UTF-8 text, ascending, one for each mention
 * @param nameOf the name after the `@`
 */
export function insertMentions(
  text: string,
  mentions: readonly number[],
  positions: readonly number[],
  nameOf: (fid: number) => string,
): CastText {
  if (mentions.length === 0) return { text, mentions: [] }
  const bytes = Buffer.from(text)
  const placed: CastText['mentions'][number][] = []
  let out = ''
  let at = 0
  mentions.forEach((fid, i) => {
    const position = positions[i] ?? bytes.length
    out += bytes.toString('utf8', at, position)
    at = position
    const start = out.length
    out += `@${nameOf(fid)}`
    placed.push({ fid, range: { start, end: out.length } })
  })
  out += bytes.toString('utf8', at)
  return { text: out, mentions: placed }
}

/** `/id` at the beginning or after white space. */
const CHANNEL = /(?<=^|\s)\/([0-9A-Za-z][0-9A-Za-z-]{0,15})(?![0-9A-Za-z-])/g

/** Possible mentions of channels. Such channels may not exist. */
export function channelMentionsIn(text: string): { id: string; range: TextRange }[] {
  if (!text.includes('/')) return []
  return [...text.matchAll(CHANNEL)].map(({ 0: found, 1: id, index: start }) => ({
    id: id!,
    range: { start, end: start + found.length },
  }))
}
