import { MIN_ANSWERS } from '../../../src/features/polls/limits.ts'
import { DAY_SECONDS } from '../../../src/kernel/protocol/time.ts'
import type { BrowserKey } from './key-store.ts'

// A poll that goes with a cast. The server makes it when the cast is sent.

export type PollDraft = {
  /** Chosen here, so that a cast that is sent again has the same poll. */
  readonly id: string
  readonly question: string
  /** Empty ones are left out. */
  readonly answers: readonly string[]
  /** How long one can vote. */
  readonly seconds: number
}

const ID_CHARACTERS = 16
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'

const newId = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(ID_CHARACTERS)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('')

export const newPoll = (): PollDraft => ({
  id: newId(),
  question: '',
  answers: Array.from({ length: MIN_ANSWERS }, () => ''),
  seconds: DAY_SECONDS,
})

/** Another poll: the first may have been made by a cast that was not sent. */
export const changed = (poll: PollDraft, part: Partial<PollDraft>): PollDraft => ({
  ...poll,
  ...part,
  id: newId(),
})

const given = ({ answers }: PollDraft): string[] =>
  answers.map((answer) => answer.trim()).filter(Boolean)

/** The place of an answer that is there twice; -1 for none. */
export function repeatedAnswer({ answers }: PollDraft): number {
  const trimmed = answers.map((answer) => answer.trim())
  return trimmed.findIndex((answer, i) => answer !== '' && trimmed.indexOf(answer) < i)
}

export const isWholePoll = (poll: PollDraft): boolean =>
  poll.question.trim() !== '' && given(poll).length >= MIN_ANSWERS && repeatedAnswer(poll) < 0

/** Deletes a poll whose post was refused. Where that fails it stays without a post. */
export async function unmakePoll(key: BrowserKey, { id }: PollDraft): Promise<void> {
  const { callPlatform } = await import('./platform.ts')
  await callPlatform(key, '/fc/polls', 'DELETE', { id }).catch(() => undefined)
}

/** Makes the poll and resolves to its address. */
export async function makePoll(key: BrowserKey, poll: PollDraft): Promise<string> {
  const { id, question, seconds } = poll
  const asked = { id, question: question.trim(), answers: given(poll), seconds }
  const { callPlatform } = await import('./platform.ts')
  const made = await callPlatform(key, '/fc/polls', 'POST', asked)
  return (made as { result: { poll: { url: string } } }).result.poll.url
}
