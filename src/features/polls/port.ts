import { port } from '../../kernel/ports.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { pollIdIn } from './address.ts'
import { answersOf, pollRows } from './tables/polls.ts'

/** Runs in the transaction that deletes a poll, under the lock of the hub too. */
export type RecordRemoval = (tx: Writer, removed: KnownPoll) => Promise<void>

/** A poll, and who made it. */
export type KnownPoll = { readonly id: string; readonly fid: number }

export type PollsPort = {
  /** Deletes a poll, by its id or its address, and returns who made it. */
  readonly remove: (poll: string, record: RecordRemoval) => Promise<number>
  /** The first poll of this server among the addresses that a cast carries. */
  readonly among: (urls: readonly string[]) => Promise<KnownPoll | undefined>
  /** Deletes a poll in a transaction under the lock `poll/<id>`; throws a Rejection when it is gone. */
  readonly removeIn: (tx: Writer, id: string) => Promise<KnownPoll>
}

/** The table of polls: a store without the feature has none. */
export const POLL_TABLE = 'poll'

/** The ids of polls that addresses may lead to. */
export const pollIdsIn = (urls: readonly string[]): string[] =>
  urls.flatMap((url) => pollIdIn(URL.parse(url)) ?? [])

/** What each poll says, by its id: the question, and each answer. */
export type PollTexts = ReadonlyMap<string, readonly string[]>

export async function pollTexts(
  { of }: Pick<Reader, 'of'>,
  ids: readonly string[],
): Promise<PollTexts> {
  const polls = await of(pollRows).findAll([...new Set(ids)])
  return new Map(
    polls.map((poll) => [poll.id, [poll.question, ...answersOf(poll).map(({ text }) => text)]]),
  )
}

/** Polls of this server. */
export const POLLS = port<PollsPort>('polls')
