import { BASENAME_MAX_CHARACTERS, ENS_MAX_CHARACTERS, FNAME_MAX_CHARACTERS } from './names.ts'
import { MAX_MENTIONS } from './sizes.ts'

// Users write mentions as @name. The protocol stores the text without the names, and for each mention a fid and a
// position.

/** The fields of a CastAdd. */
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
/** What makes a label part of an ENS name, a subname too. */
const ENS_ENDING = /(?:\.[a-z0-9-]+)*\.eth(?![a-z0-9-])/iy
/** Characters of the names that accounts may hold, by what follows their label. */
const MAX_CHARACTERS: Readonly<Record<string, number>> = {
  '': FNAME_MAX_CHARACTERS,
  '.eth': ENS_MAX_CHARACTERS,
  '.base.eth': BASENAME_MAX_CHARACTERS,
}

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
    position += new TextEncoder().encode(before).length
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
  const ending = ensEndingAt(text, start + label.length)
  const name = label + ending
  const isName = name.length <= (MAX_CHARACTERS[ending] ?? 0) && endsWord(text, start + name.length)
  const whole = isName ? [name] : []
  // The label of an ENS name may be the name of somebody else.
  if (ending !== '') return whole
  // A hyphen after a name is usually punctuation, but it may be part of one.
  const short = withoutHyphensAtEnd(label)
  if (short === label || short.length > FNAME_MAX_CHARACTERS) return whole
  return [...whole, short]
}

/** Empty when the label that ends here is not the beginning of an ENS name. */
function ensEndingAt(text: string, at: number): string {
  ENS_ENDING.lastIndex = at
  const ending = ENS_ENDING.exec(text)?.[0] ?? ''
  return endsWord(text, at + ending.length) ? ending : ''
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
