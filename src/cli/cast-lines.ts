import { stripVTControlCharacters, styleText } from 'node:util'
import type { AnswerOf } from '../client/client.ts'
import type { AppOperations } from '../client/generated/app.ts'
import { oneLine } from './output.ts'

const NAME_CHARACTERS = 32
const LINE_CHARACTERS = 400
const MAX_LINES = 40

type Cast = AnswerOf<AppOperations['get'], '/v2/farcaster/cast'>['cast']

/** A cast for a terminal: who and when, the text, what is embedded, and its address with the counts. */
export function castLines(cast: Cast): string[] {
  const { author, timestamp, text, embeds, channel } = cast
  const name = styled('bold', oneLine(author.username, NAME_CHARACTERS))
  const place = channel ? ` in /${channel.id}` : ''
  const when = timestamp.replace(/\.\d+Z$/, 'Z')
  const lines = stripVTControlCharacters(text).split('\n').slice(0, MAX_LINES)
  return [
    `${name} (fid ${author.fid})${place}  ${styled('dim', when)}`,
    ...lines.map((line) => `  ${oneLine(line, LINE_CHARACTERS)}`),
    ...embeds.map((embed) => {
      const text = 'url' in embed ? embed.url : embed.cast_id.hash
      return `  > ${oneLine(text, LINE_CHARACTERS)}`
    }),
    styled('dim', `  ${author.fid}/${cast.hash}  ${countsOf(cast)}`),
    '',
  ]
}

function countsOf({ reactions, replies }: Cast): string {
  const { likes_count: likes, recasts_count: recasts } = reactions
  return [
    plural(likes, 'like'),
    plural(recasts, 'recast'),
    replies.count === 1 ? '1 reply' : `${replies.count} replies`,
  ].join(', ')
}

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** Colour only on a terminal, and not with NO_COLOR. */
const styled = (style: 'bold' | 'dim', text: string) =>
  styleText(style, text, { stream: process.stdout, validateStream: true })
