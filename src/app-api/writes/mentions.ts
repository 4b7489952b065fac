import { utf8Length } from '../../protocol/bytes.ts'
import { MAX_MENTIONS } from '../../protocol/kinds/cast-add.ts'
import {
  BASENAME_MAX_CHARACTERS,
  ENS_MAX_CHARACTERS,
  FNAME_MAX_CHARACTERS,
} from '../../protocol/names.ts'

// People write @name into a text. The protocol stores the text without the names, and the fids with the positions at
// which their names are shown.

/** A text as a CastAdd stores it. */
export type MentionedText = {
  readonly text: string
  /** Fids, in the order of their positions. */
  readonly mentions: readonly number[]
  /** UTF-8 byte offsets into `text`. */
  readonly mentionsPositions: readonly number[]
}

/** An `@` with the names that it may mention, the longest first. */
type Candidate = { readonly at: number; readonly names: readonly string[] }

/** Letters with their marks, digits and the underscore: an `@` after one of them is part of an address. */
const AT = /(?<![\p{L}\p{M}\p{N}_])@(?=[a-z0-9])/gu
const LABEL = /[a-z0-9][a-z0-9-]*/y
/** After a name these make it another word. Other scripts follow names without a space. */
const WORD_CHARACTER = /[\p{Script=Latin}\p{M}\p{N}_]/uy
const ENDINGS = [
  { ending: '.base.eth', max: BASENAME_MAX_CHARACTERS },
  { ending: '.eth', max: ENS_MAX_CHARACTERS },
  { ending: '', max: FNAME_MAX_CHARACTERS },
] as const

/** All names that a text may mention, each once: those to look up before `takeMentions`. */
export const namesIn = (text: string): string[] => [
  ...new Set(candidatesIn(text).flatMap(({ names }) => names)),
]

/**
 * Takes the mentions out of a text: each `@name` whose name is somebody's username, at most the first
 * MAX_MENTIONS. Everything else stays text.
 */
export function takeMentions(
  text: string,
  fidOf: (name: string) => number | undefined,
): MentionedText {
  const mentions: number[] = []
  const mentionsPositions: number[] = []
  let kept = ''
  let position = 0
  let end = 0
  for (const { at, names } of candidatesIn(text)) {
    if (mentions.length === MAX_MENTIONS) break
    const name = names.find((one) => fidOf(one) !== undefined)
    if (name === undefined) continue
    const before = text.slice(end, at)
    kept += before
    position += utf8Length(before)
    mentions.push(fidOf(name)!)
    mentionsPositions.push(position)
    end = at + 1 + name.length
  }
  return { text: kept + text.slice(end), mentions, mentionsPositions }
}

function candidatesIn(text: string): Candidate[] {
  return [...text.matchAll(AT)].map(({ index: at }) => ({ at, names: namesAt(text, at + 1) }))
}

function namesAt(text: string, start: number): string[] {
  LABEL.lastIndex = start
  const label = LABEL.exec(text)?.[0] ?? ''
  const whole = ENDINGS.filter(({ ending }) => text.startsWith(ending, start + label.length))
    .filter(({ ending, max }) => label.length + ending.length <= max)
    .map(({ ending }) => label + ending)
    .filter((name) => endsWord(text, start + name.length))
  // A hyphen after a name is usually punctuation, but it may be part of one.
  const short = withoutHyphensAtEnd(label)
  if (short === label || short.length > FNAME_MAX_CHARACTERS) return whole
  return [...whole, short]
}

function endsWord(text: string, at: number): boolean {
  WORD_CHARACTER.lastIndex = at
  return !WORD_CHARACTER.test(text)
}

function withoutHyphensAtEnd(label: string): string {
  let end = label.length
  while (label[end - 1] === '-') end--
  return label.slice(0, end)
}
