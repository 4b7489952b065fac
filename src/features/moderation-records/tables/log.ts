import type { Sql, SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { MODERATION_ACTIONS, type ModerationAction, TAKEN_BACK_BY } from '../actions.ts'

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

/**
 * An entry has this word, in whatever case. Not every engine knows the small form of every letter: the usual forms of the word are
 * looked for.
 */
function conditionOf(word: string): readonly [string, string[]] {
  const small = word.toLowerCase()
  const forms = [small, small.charAt(0).toUpperCase() + small.slice(1), small.toUpperCase()]
  const patterns = forms.map((form) => {
    const found = form.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    return `%${found.replace(/[\\%_]/g, '\\$&')}%`
  })
  const distinct = [...new Set(patterns)]
  const one = "lower(coalesce(name, '') || ' ' || reason) like ? escape '\\'"
  return [`(${distinct.map(() => one).join(' or ')})`, distinct]
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
   * Newest first, before this id, among MAX_SEARCHED_ENTRIES: `searchedTo` is the last of them when there are more before it, at which
   * nobody has looked.
   */
  async search(
    filter: LogSearch,
    beforeId: number,
    limit: number,
    most = MAX_SEARCHED_ENTRIES,
  ): Promise<{ rows: ModerationEntry[]; searchedTo: SearchedTo | undefined }> {
    const { actions = [], actors = [], words = [], withoutReportsAbout = NO_FID } = filter
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
    const said = words.map(conditionOf)
    const having = said.map(([text]) => `and ${text}`).join(' ')
    const rows = await MODERATION_LOG.select(
      sql,
      `where ${range.text} and id >= ? and not (action = 'resolve' and coalesce(fid, 0) = ?) ${which} ${whose} ${having}
       order by id desc limit (? + 0)`,
      [
        ...[...range.values, last?.id ?? 0, withoutReportsAbout, ...actions, ...actors],
        ...[...said.flatMap(([, patterns]) => patterns), limit],
      ],
    )
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
  find: (id: number) => MODERATION_LOG.find(sql, id),
  /** Whether what was decided is in force no more, by what followed about the account. */
  async isTakenBack({ id, action, fid, cast_hash }: ModerationEntry): Promise<boolean> {
    const by = TAKEN_BACK_BY[action]
    if (by === undefined || fid === null) return false
    const [which, value] =
      by === 'unwarn' ? ['name = ?', String(id)] : cast_hash ? ['cast_hash = ?', cast_hash] : []
    const found = await MODERATION_LOG.first(
      sql,
      `where fid = ? and id > ? and action = ? ${which ? `and ${which}` : ''}
         and id <= coalesce((select id from moderation_log where fid = ? and id > ?
           order by id limit 1 offset (? + 0)), ${Number.MAX_SAFE_INTEGER})
       order by id limit 1`,
      [fid, id, by, ...(value === undefined ? [] : [value]), fid, id, MAX_SEARCHED_ENTRIES],
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
  async add(entry: Omit<ModerationEntry, 'id'>): Promise<ModerationEntry> {
    const added = { ...entry, id: (await MODERATION_LOG.max(sql, 'id')) + 1 }
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
