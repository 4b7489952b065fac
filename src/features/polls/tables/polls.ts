import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type NewRowOf, query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The number of votes for each answer, in the order of the answers. */
const COUNTS = ['votes_1', 'votes_2', 'votes_3', 'votes_4', 'votes_5', 'votes_6'] as const

const count = { type: 'integer', counter: true } as const

/** Questions that this server serves as snaps. */
export const POLLS = table(
  'poll',
  {
    id: { type: 'line', words: false, key: true },
    question: { type: 'line', words: true },
    /** One in each line. */
    answers: { type: 'text', words: true },
    creator_fid: { type: 'fid', erasure: 'delete', exported: true },
    created_at: { type: 'seconds' },
    ends_at: { type: 'seconds' },
    /** Whether it is still known who chose what. A poll that is deleted stays without words until its votes are gone. */
    votes_state: { type: 'line', values: ['kept', 'forgetting', 'forgotten', 'deleting'] },
    votes_1: count,
    votes_2: count,
    votes_3: count,
    votes_4: count,
    votes_5: count,
    votes_6: count,
  },
  {
    erase: ({ sql }, polls) =>
      removePolls(
        sql,
        polls.map(({ id }) => id),
      ),
  },
)
export type Poll = RowOf<typeof POLLS>

/** Who chose what: a fid has one vote in a poll. */
export const POLL_VOTES = table(
  'poll_vote',
  {
    poll_id: { type: 'line', words: false, key: true },
    fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
    /** The place of the answer in the poll, from 1. */
    answer: { type: 'integer' },
    voted_at: { type: 'seconds' },
  },
  {
    // What an account chose no longer counts when it is erased.
    async erase({ sql }, votes) {
      // Those that are there: a vote that is changed meanwhile counts for another answer, and a forgotten one stays.
      for (const { poll_id, fid } of votes) {
        await hold(sql, poll_id)
        const gone = await POLL_VOTES.removeWhere(sql, 'poll_id = ? and fid = ?', [poll_id, fid])
        await addToCounts(sql, gone, -1)
      }
    },
    exportedWith: { question: '(select question from poll where id = poll_vote.poll_id)' },
  },
)
export type Vote = RowOf<typeof POLL_VOTES>

/** Of an answer that is counted wrongly also where the sum is right. */
const MISCOUNTED = `select id, ${COUNTS.join(' + ')} as counted,
      (select count(*) from poll_vote where poll_id = poll.id) as votes
    from poll where votes_state = 'kept' and (${COUNTS.map(
      (column, i) =>
        `${column} <> (select count(*) from poll_vote where poll_id = poll.id and answer = ${i + 1})`,
    ).join(' or ')})
    order by id limit (? + 0)`

const isThere = (poll: Poll | undefined): boolean => poll?.votes_state !== 'deleting'

const pollReader = (sql: Sql) => ({
  async find(id: string): Promise<Poll | undefined> {
    const poll = await POLLS.find(sql, id)
    return isThere(poll) ? poll : undefined
  },
  isDeleting: async (id: string): Promise<boolean> => !isThere(await POLLS.find(sql, id)),
  findAll: async (ids: readonly string[]) => (await POLLS.findBy(sql, 'id', ids)).filter(isThere),
  countOf: (creatorFid: number) => POLLS.count(sql, 'where creator_fid = ?', [creatorFid]),
  voteOf: (pollId: string, fid: number) => POLL_VOTES.find(sql, pollId, fid),
  /** A poll whose votes are to be deleted: it is deleted itself, or ended before this time. */
  toForget: (endedBefore: number) =>
    POLLS.first(
      sql,
      `where votes_state in ('deleting', 'forgetting') or (votes_state = 'kept' and ends_at < ?)
         order by ends_at limit 1`,
      [endedBefore],
    ),
  /** Polls whose counts differ from their votes. */
  miscounted: (limit: number) =>
    query<{ readonly id: string; readonly counted: number; readonly votes: number }>(
      sql,
      MISCOUNTED,
      [limit],
    ),
})

const pollWriter = (sql: Sql) => ({
  ...pollReader(sql),
  insert: (poll: NewRowOf<typeof POLLS>) => POLLS.insert(sql, [poll]),
  remove: (id: string) => removePolls(sql, [id]),
  /** Stores a vote in place of the one that the fid had in this poll. */
  async vote(vote: Vote): Promise<void> {
    await hold(sql, vote.poll_id)
    const known = await POLL_VOTES.find(sql, vote.poll_id, vote.fid)
    if (known?.answer === vote.answer) return
    await POLL_VOTES.upsert(sql, [vote])
    await addToCounts(sql, [vote], 1)
    if (known) await addToCounts(sql, [known], -1)
  },
  /** Deletes up to `limit` votes of a poll; its counts stay. A deleted poll goes with the last of them. */
  async forgetVotes(id: string, limit: number): Promise<void> {
    const poll = await hold(sql, id)
    const some = 'select fid from poll_vote where poll_id = ? limit (? + 0)'
    const condition = `poll_id = ? and fid in (${some})`
    const forgotten = await POLL_VOTES.removeWhere(sql, condition, [id, id, limit])
    const isLast = forgotten.length < limit
    if (poll?.votes_state !== 'deleting') {
      await POLLS.update(
        sql,
        ['votes_state'],
        [{ id, votes_state: isLast ? 'forgotten' : 'forgetting' }],
      )
    } else if (isLast) await POLLS.removeBy(sql, 'id', [id])
  },
})

/**
 * Reads a poll whose row waits for this transaction from here on. Erasures run under the lock of the hub, votes and the job under
 * that of the poll: what is read without this may be of before an erasure.
 */
async function hold(sql: Sql, id: string): Promise<Poll | undefined> {
  const columns = POLLS.columns.join(', ')
  const text = `update poll set votes_state = votes_state where id = ? returning ${columns}`
  return (await query<Poll>(sql, text, [id]))[0]
}

/** Nobody has made a poll that is being deleted. */
const NOBODY = 0

/**
 * From now on nobody sees the polls, and nothing of their words and authors is left. A job deletes the votes, in steps: a poll may
 * have hundreds of thousands. A vote that is under way finds no poll at its end.
 */
const removePolls = (sql: Sql, ids: readonly string[]): Promise<void> =>
  POLLS.update(
    sql,
    ['votes_state', 'question', 'answers', 'creator_fid'],
    ids.map((id) => ({ id, ...GONE, creator_fid: NOBODY })),
  )
const GONE = { votes_state: 'deleting', question: '', answers: '' } as const

/** Adds votes to the counts of their polls, or takes them away; one poll has one of them. */
async function addToCounts(sql: Sql, votes: readonly Vote[], sign: 1 | -1): Promise<void> {
  const rows = votes.map(({ poll_id: id, answer }) => ({
    id,
    ...Object.fromEntries(COUNTS.map((column, i) => [column, i + 1 === answer ? sign : 0])),
  }))
  await POLLS.add(sql, COUNTS, [], rows as never)
}

/** `storage.of(pollRows)` reads these tables, and `tx.of(pollRows)` writes them. */
export const pollRows = rowsOf(pollReader, ({ sql }) => pollWriter(sql))

/** An answer with the number of its votes. */
export type CountedAnswer = { readonly text: string; readonly votes: number }

export const answersOf = (poll: Poll): readonly CountedAnswer[] =>
  poll.answers.split('\n').map((text, i) => ({ text, votes: poll[COUNTS[i]!] }))

export const votesIn = (poll: Poll): number => COUNTS.reduce((sum, column) => sum + poll[column], 0)
