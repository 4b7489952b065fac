import { base32nopad } from '@scure/base'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import type { PlatformContext } from '../../kernel/platform/context.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { pollIdIn, readPath } from './address.ts'
import {
  MAX_ANSWER_CHARACTERS,
  MAX_POLLS_PER_DAY,
  MAX_POLLS_PER_FID,
  MAX_QUESTION_CHARACTERS,
  POLL_ID,
} from './limits.ts'
import type { KnownPoll, RecordRemoval } from './port.ts'
import { answersOf, type Poll, pollRows } from './tables/polls.ts'

// What members do with polls. Who chose what is told to nobody else.

export type PollContext = Pick<
  PlatformContext,
  'storage' | 'now' | 'randomBytes' | 'checkMayAct'
> & {
  /** Why nobody can make one here. */
  readonly refusal: string | undefined
  /** Where the polls of this server are; an id follows. */
  readonly urlOf: (id: string) => string
}

export type NewPoll = {
  /** The same call with an id again answers the same poll. */
  readonly id?: string
  readonly question: string
  readonly answers: readonly string[]
  readonly seconds: number
}

const QUOTA = 'polls'
const ID_BYTES = 10

const newId = ({ randomBytes }: PollContext): string =>
  base32nopad.encode(randomBytes(ID_BYTES)).toLowerCase()

export async function createPoll(
  context: PollContext,
  creatorFid: number,
  asked: NewPoll,
): Promise<Poll> {
  if (context.refusal) throw new Rejection('not_supported', context.refusal)
  const question = lineOf(asked.question, 'question', MAX_QUESTION_CHARACTERS)
  const answers = asked.answers.map((answer, i) =>
    lineOf(answer, `answers.${i}`, MAX_ANSWER_CHARACTERS),
  )
  const again = answers.findIndex((answer, i) => answers.indexOf(answer) < i)
  if (again >= 0) throw invalid(`answers.${again}`, 'is there twice; write different answers')
  const { id = newId(context) } = asked
  const now = context.now()
  return context.storage.write([`fid/${creatorFid}`, `poll/${id}`], async (tx) => {
    const known = await tx.of(pollRows).find(id)
    const poll = { question, answers: answers.join('\n'), creator_fid: creatorFid }
    if (known && isSame(known, poll, asked.seconds)) return known
    if (known || (await tx.of(pollRows).isDeleting(id))) {
      throw new Rejection('bad_request.conflict', `poll ${id} exists`, { field: 'id' })
    }
    await checkRoom(tx, creatorFid, now)
    await tx.of(pollRows).insert({
      ...{ id, ...poll, created_at: now, ends_at: now + asked.seconds },
      votes_state: 'kept',
    })
    return getPoll(tx, id)
  })
}

const isSame = (
  known: Poll,
  poll: Pick<Poll, 'question' | 'answers' | 'creator_fid'>,
  seconds: number,
): boolean =>
  known.question === poll.question &&
  known.answers === poll.answers &&
  known.creator_fid === poll.creator_fid &&
  known.ends_at - known.created_at === seconds

/** Counts the poll against what an account may make. */
async function checkRoom(tx: Writer, fid: number, now: number): Promise<void> {
  if ((await tx.of(pollRows).countOf(fid)) >= MAX_POLLS_PER_FID) {
    const text = `fid ${fid} has ${MAX_POLLS_PER_FID} polls; delete one first`
    throw new Rejection('unauthorized', text)
  }
  const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [String(fid)]))
  const terms = { windowMs: DAY_MS, max: MAX_POLLS_PER_DAY }
  const exceeded = quota.tryConsume(String(fid), terms, now * SECOND_MS)
  if (exceeded) throw refusalOf(exceeded, `You have made ${MAX_POLLS_PER_DAY} polls in a day`)
  await tx.quotas.put(quota.changed)
}

/** The same for everybody: a poll of a hidden account is not shown. */
export async function getShownPoll(
  reader: Pick<Reader, 'of' | 'moderation'>,
  id: string,
): Promise<Poll> {
  const poll = await getPoll(reader, id)
  if ((await reader.moderation.account(poll.creator_fid))?.hidden === 1) throw unknownPoll(id)
  return poll
}

async function getPoll({ of }: Pick<Reader, 'of'>, id: string): Promise<Poll> {
  const poll = POLL_ID.test(id) ? await of(pollRows).find(id) : undefined
  if (!poll) throw unknownPoll(id)
  return poll
}

const unknownPoll = (id: string, field = 'id') =>
  new Rejection('not_found', `there is no poll ${id}`, { field })

export const isOpen = ({ ends_at }: Poll, now: number): boolean => now < ends_at

/** Counts a vote, or changes the one that the account had. Resolves to the poll as it is then. */
export const vote = (
  { storage, now, refusal }: PollContext,
  fid: number,
  { id, answer }: { readonly id: string; readonly answer: string },
): Promise<Poll> =>
  storage.write(`poll/${id}`, async (tx) => {
    if (refusal) throw new Rejection('not_supported', refusal)
    const poll = await getShownPoll(tx, id)
    if (!isOpen(poll, now())) {
      throw new Rejection('bad_request.conflict', 'the poll has ended; no vote counts any more')
    }
    const place = answersOf(poll).findIndex(({ text }) => text === answer) + 1
    if (place === 0) throw invalid('answer', 'must be one of the answers of the poll')
    await tx.of(pollRows).vote({ poll_id: id, fid, answer: place, voted_at: now() })
    return getPoll(tx, id)
  })

/** Deletes a poll that an account has made. A job deletes its votes. */
export const deletePoll = ({ storage }: PollContext, fid: number, id: string): Promise<void> =>
  storage.write(`poll/${id}`, async (tx) => {
    const poll = await getPoll(tx, id)
    if (poll.creator_fid !== fid) {
      throw new Rejection('unauthorized', `fid ${fid} did not make poll ${id}`, { field: 'id' })
    }
    await tx.of(pollRows).remove(id)
  })

/** Deletes any poll, by its id or its address, as the port says. */
export async function removePoll(
  context: PollContext,
  given: string,
  record: RecordRemoval,
): Promise<number> {
  const id = POLL_ID.test(given) ? given : pollAt(context, URL.parse(given))
  if (!id) {
    const fix = `write its id, or its address such as ${context.urlOf('<id>')}`
    throw new Rejection('not_found', `this server has no poll there; ${fix}`, { field: 'poll' })
  }
  return context.storage.write(['hub', `poll/${id}`], async (tx) => {
    const removed = await removePollIn(tx, id)
    await record(tx, removed)
    return removed.fid
  })
}

export async function removePollIn(tx: Writer, id: string): Promise<KnownPoll> {
  const poll = await tx.of(pollRows).find(id)
  if (!poll) throw unknownPoll(id, 'poll')
  await tx.of(pollRows).remove(id)
  return { id, fid: poll.creator_fid }
}

export async function pollAmong(
  context: PollContext,
  urls: readonly string[],
): Promise<KnownPoll | undefined> {
  const [id] = urls.flatMap((url) => pollAt(context, URL.parse(url)) ?? [])
  const poll = id === undefined ? undefined : await context.storage.of(pollRows).find(id)
  return poll && { id: poll.id, fid: poll.creator_fid }
}

/** The id of the poll of this server at a URL, whatever its query. */
export function pollAt({ urlOf }: PollContext, url: URL | null): string | undefined {
  const id = pollIdIn(url)
  return id && url!.origin + readPath(url!) === urlOf(id) ? id : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be stored
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** A text of one line, without spaces around it. */
function lineOf(given: string, field: string, max: number): string {
  const text = given.trim()
  if (text === '') throw invalid(field, 'must not be empty')
  // A schema counts code points.
  if (text.length > max) throw invalid(field, `has more than ${max} UTF-16 characters`)
  if (text.isWellFormed() && !CONTROL.test(text)) return text
  throw invalid(field, 'must be one line without control characters')
}

const invalid = (field: string, what: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${what}`, { field })
