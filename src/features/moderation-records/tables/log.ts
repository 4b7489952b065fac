import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sql, SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { ENDED_BY, MODERATION_ACTIONS, type ModerationAction } from '../actions.ts'

/** An audit log of the operator's actions. */
export const MODERATION_LOG = table('moderation_log', {
  id: { type: 'integer', key: true },
  at: { type: 'seconds' },
  actor: { type: 'line', words: false },
  action: { type: 'line', values: MODERATION_ACTIONS },
  fid: {
    type: 'fid',
    erasure: KEPT.decision,
    exported: {
      not: 'Has notes of moderators and what others reported; own-moderation tells what the account may know.',
    },
    null: true,
  },
  cast_hash: { type: 'bytes', null: true },
  name: { type: 'line', words: false, null: true },
  reason: { type: 'text', words: false },
  /**
   * Only in entries `resolve` and `answer`: the id of the entry for the act that came with the answer, or of an earlier one that was
   * still in force. Several answers may name the same act. Null when there was no act.
   */
  goes_with: { type: 'integer', null: true },
})
export type ModerationEntry = RowOf<typeof MODERATION_LOG>

type LogFilter = {
  readonly fid?: number | undefined
  /** All unless given. */
  readonly actions?: readonly ModerationAction[] | undefined
}
/** `withoutReportsAbout` is an account that learns nothing of the reports about it. */
export type LogSearch = LogFilter & {
  /** All unless given. */
  readonly actors?: readonly string[] | undefined
  /** Unix seconds: from `since` on, before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** All of them are in the reason or the name, wherever. */
  readonly words?: readonly string[] | undefined
  readonly withoutReportsAbout?: number | undefined
}
/** The oldest entry that a search has looked at. */
type SearchedTo = { readonly id: number; readonly at: number }
/** No account has it: nothing is left out. */
const NO_FID = -1
/** Entries among which those of a page are looked for: of a rare kind it has few, and goes on. */
export const MAX_SEARCHED_ENTRIES = 10_000
/** Entries of which a page reads the texts, to look for words in them. */
export const MAX_READ_ENTRIES = 2_000
/** Between so many others have their turn: texts of 2,000 characters take a few milliseconds. */
const READ_AT_ONCE = 100

/**
 * In capitals, which ß and ss, ς and σ, ı and i share. The program compares them, since what engines know of letters beyond ASCII differs.
 */
const caseless = (text: string): string => text.toUpperCase()

const hasAll = ({ name, reason }: ModerationEntry, words: readonly string[]): boolean => {
  const text = caseless(`${name ?? ''} ${reason}`)
  return words.every((word) => text.includes(word))
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join()

/**
 * An entry may stand behind one of a later time, so much later at most: its time was taken before it got its id, by the clock of one of
 * several processes.
 */
const DISORDER_SECONDS = 600

/**
 * The entries before an id that an index finds. Times grow with the ids, but for DISORDER_SECONDS, so those of some days stand together.
 */
function rangeOf({ fid, since, until }: LogSearch, beforeId: number) {
  const conditions: [string, ...SqlValue[]][] = [['id < ?', beforeId]]
  if (fid !== undefined) conditions.push(['fid = ?', fid])
  if (since !== undefined) {
    // Not the plain id: PostgreSQL would look for its least along the primary key and not for the times.
    const first = `select min(id + 0) from moderation_log where at >= ?
      and at <= (select min(at) from moderation_log where at >= ?) + ${DISORDER_SECONDS}`
    conditions.push([`id >= coalesce((${first}), ${Number.MAX_SAFE_INTEGER})`, since, since])
    conditions.push(['at >= ?', since])
  }
  if (until !== undefined) {
    const last = `select max(id + 0) from moderation_log where at < ?
      and at >= (select max(at) from moderation_log where at < ?) - ${DISORDER_SECONDS}`
    conditions.push([`id <= coalesce((${last}), 0)`, until, until])
    conditions.push(['at < ?', until])
  }
  return {
    text: conditions.map(([text]) => text).join(' and '),
    values: conditions.flatMap(([, ...values]) => values),
  }
}

export const moderationLogReader = (sql: Sql) => ({
  /** Newest first, before this id. */
  list: ({ fid, actions = [] }: LogFilter, beforeId: number, limit: number) => {
    const whose = fid === undefined ? '' : 'and fid = ?'
    const of = fid === undefined ? [] : [fid]
    const which = actions.length > 0 ? `and action in (${marks(actions)})` : ''
    const parameters: SqlValue[] = [beforeId, ...of, ...actions, limit]
    return MODERATION_LOG.select(
      sql,
      `where id < ? ${whose} ${which} order by id desc limit (? + 0)`,
      parameters,
    )
  },
  /**
   * Newest first, before this id, among MAX_SEARCHED_ENTRIES, or MAX_READ_ENTRIES with words: `searchedTo` is the last of them when
   * there are more before it, at which nobody has looked.
   */
  async search(
    filter: LogSearch,
    beforeId: number,
    limit: number,
    most = filter.words?.length ? MAX_READ_ENTRIES : MAX_SEARCHED_ENTRIES,
  ): Promise<{ rows: ModerationEntry[]; searchedTo: SearchedTo | undefined }> {
    const { actions = [], actors = [], withoutReportsAbout = NO_FID } = filter
    const words = (filter.words ?? []).map(caseless)
    const range = rangeOf(filter, beforeId)
    const isSifted = actions.length + actors.length + words.length > 0
    const [last] = isSifted
      ? await query<SearchedTo>(
          sql,
          `select id, at from moderation_log where ${range.text} order by id desc limit 1 offset (? + 0)`,
          [...range.values, most - 1],
        )
      : []
    const which = actions.length > 0 ? `and action in (${marks(actions)})` : ''
    const whose = actors.length > 0 ? `and actor in (${marks(actors)})` : ''
    const listBefore = (id: number, count: number) => {
      const { text, values } = rangeOf(filter, id)
      return MODERATION_LOG.select(
        sql,
        `where ${text} and id >= ? and not (action = 'resolve' and coalesce(fid, 0) = ?) ${which} ${whose}
         order by id desc limit (? + 0)`,
        [...values, last?.id ?? 0, withoutReportsAbout, ...actions, ...actors, count],
      )
    }
    const rows: ModerationEntry[] = []
    if (words.length === 0) rows.push(...(await listBefore(beforeId, limit)))
    else {
      let next: number | undefined = beforeId
      while (next !== undefined && rows.length < limit) {
        const read: ModerationEntry[] = await listBefore(next, READ_AT_ONCE)
        rows.push(...read.filter((entry) => hasAll(entry, words)).slice(0, limit - rows.length))
        next = read.length < READ_AT_ONCE ? undefined : read.at(-1)!.id
        await nextTurn()
      }
    }
    return { rows, searchedTo: rows.length < limit ? last : undefined }
  },
  /** The newest about any of these accounts, newest first. */
  async ofAccounts(
    fids: readonly number[],
    actions: readonly ModerationAction[],
    limit: number,
  ): Promise<ModerationEntry[]> {
    const known = [...new Set(fids)]
    if (known.length === 0) return []
    return MODERATION_LOG.select(
      sql,
      `where fid in (${marks(known)}) and action in (${marks(actions)}) order by id desc limit (? + 0)`,
      [...known, ...actions, limit],
    )
  },
  /** The newest of one kind about any of these casts of accounts, newest first. */
  async ofCasts(
    fids: readonly number[],
    hashes: readonly Uint8Array[],
    action: ModerationAction,
    limit: number,
  ): Promise<ModerationEntry[]> {
    const known = [...new Set(fids)]
    if (known.length === 0 || hashes.length === 0) return []
    return MODERATION_LOG.select(
      sql,
      `where fid in (${marks(known)}) and action = ? and cast_hash in (${marks(hashes)})
        order by id desc limit (? + 0)`,
      [...known, action, ...hashes, limit],
    )
  },
  find: (id: number) => MODERATION_LOG.find(sql, id),
  /** Whether what was decided is in force no more, by what followed about the account. */
  async isTakenBack({
    id,
    action,
    fid,
    cast_hash,
  }: Pick<ModerationEntry, 'id' | 'action' | 'fid' | 'cast_hash'>): Promise<boolean> {
    const by = ENDED_BY[action]
    if (by === undefined || fid === null) return false
    const [which, value] =
      action === 'warn' ? ['name = ?', String(id)] : cast_hash ? ['cast_hash = ?', cast_hash] : []
    const found = await MODERATION_LOG.first(
      sql,
      `where fid = ? and id > ? and action in (${marks(by)}) ${which ? `and ${which}` : ''}
         and id <= coalesce((select id from moderation_log where fid = ? and id > ?
           order by id limit 1 offset (? + 0)), ${Number.MAX_SAFE_INTEGER})
       order by id limit 1`,
      [fid, id, ...by, ...(value === undefined ? [] : [value]), fid, id, MAX_SEARCHED_ENTRIES],
    )
    return found !== undefined
  },
  findAll: (ids: readonly number[]) =>
    MODERATION_LOG.findAll(
      sql,
      ids.map((id) => ({ id })),
    ),
})

export const moderationLogWriter = (sql: Sql) => ({
  ...moderationLogReader(sql),
  async add({
    goes_with = null,
    ...entry
  }: Omit<ModerationEntry, 'id' | 'goes_with'> &
    Partial<Pick<ModerationEntry, 'goes_with'>>): Promise<ModerationEntry> {
    const added = { ...entry, goes_with, id: (await MODERATION_LOG.max(sql, 'id')) + 1 }
    await MODERATION_LOG.insert(sql, [added])
    return added
  },
  /** Takes what people who asked to join were called, and what they were told, out of entries from before a time. */
  async forgetJoins(before: number): Promise<void> {
    // They are about no account, which an index knows.
    await query(
      sql,
      `update moderation_log set name = null, reason = '-'
        where fid is null and at < ? and action in ('approve-join', 'decline-join')
          and (name is not null or reason <> '-')
        returning id`,
      [before],
    )
  },
})

/** `storage.of(moderationLogRows)` reads this table, and `tx.of(moderationLogRows)` writes it. */
export const moderationLogRows = rowsOf(moderationLogReader, ({ sql }) => moderationLogWriter(sql))
