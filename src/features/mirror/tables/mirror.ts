import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import {
  type After,
  type NewRowOf,
  query,
  type RowOf,
  table,
} from '../../../kernel/storage/tables/table.ts'

/** The hub that is mirrored: one row, which says whose the data are. */
export const MIRROR_SOURCES = table('mirror_source', {
  name: { type: 'line', words: false, key: true },
  kind: { type: 'line', values: ['snapchain', 'hubble', 'rookery'] },
  /** Host and port, without keys. */
  host: { type: 'line', words: false },
  version: { type: 'line', words: false },
  network: { type: 'integer' },
  /** Streams that are followed. */
  shards: { type: 'integer' },
  since: { type: 'millis' },
  /** When everybody had been read for the first time; 0: not yet. */
  complete_at: { type: 'millis' },
  paused: { type: 'flag' },
  /** Why nothing is mirrored any more, until somebody acts. */
  stopped: { type: 'text', words: false, null: true },
  /** The version of this program that mirrored last. */
  program: { type: 'line', words: false },
  /** The ids of the servers through which the data of the source come, itself first, by commas; empty for other hubs. */
  path: { type: 'line', words: false },
})
export type MirrorSource = RowOf<typeof MIRROR_SOURCES>

/** How far the events of a shard are applied. */
export const MIRROR_SHARDS = table('mirror_shard', {
  shard: { type: 'integer', key: true },
  /** Id of the last event that was applied. */
  cursor: { type: 'integer' },
  block_number: { type: 'integer' },
  /** By which another node of the source shows that it has the same events; empty where there are no blocks. */
  block_hash: { type: 'bytes' },
  /** Until when nothing is missing. */
  at: { type: 'millis' },
  gaps_seen: { type: 'integer' },
  gaps_repaired: { type: 'integer' },
  gaps_pruned: { type: 'integer' },
})
export type MirrorShard = RowOf<typeof MIRROR_SHARDS>

const FID_STATES = ['waiting', 'live', 'differs', 'context', 'frozen', 'erasing'] as const
export type FidState = (typeof FID_STATES)[number]

/** Everybody who is or was mirrored. */
export const MIRROR_FIDS = table('mirror_fid', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
  /**
   * `frozen`: no rule names it any more. Its messages stay, new ones are not taken. `context`: somebody whom a mirrored cast
   * mentions, answers or quotes, of whom the profile and those casts are kept. `erasing`: its messages are being removed.
   */
  state: { type: 'line', values: FID_STATES },
  /** When it is compared next. */
  due_at: { type: 'millis' },
  read_at: { type: 'millis' },
  checked_at: { type: 'millis' },
  /** Messages here and at the source at the last comparison, by set, as JSON. */
  counts: { type: 'text', words: false },
  failures: { type: 'integer' },
  /** How often a comparison was asked for: one that runs meanwhile is repeated. */
  asks: { type: 'integer', counter: true },
  /** Since when no rule names it; 0: one does. */
  left_at: { type: 'millis' },
  /** What the source allows it to store, by set, as JSON. */
  limits: { type: 'text', words: false },
})
export type MirrorFid = RowOf<typeof MIRROR_FIDS>
export type NewMirrorFid = NewRowOf<typeof MIRROR_FIDS>

/** Who is mirrored. */
export const MIRROR_RULES = table('mirror_rule', {
  id: { type: 'integer', key: true },
  kind: {
    type: 'line',
    values: ['all', 'fid', 'name', 'file', 'followers-of', 'following-of', 'members-of'],
  },
  value: { type: 'text', words: false },
  added_at: { type: 'millis' },
  resolved_at: { type: 'millis' },
  people: { type: 'integer' },
  error: { type: 'text', words: false, null: true },
  /** The most people that it may name; 0: what is usual. */
  cap: { type: 'integer' },
})
export type MirrorRule = RowOf<typeof MIRROR_RULES>

/** Whom a rule names. */
export const MIRROR_MEMBERS = table('mirror_member', {
  rule: { type: 'integer', key: true },
  fid: { type: 'fid', erasure: KEPT.decision, exported: NOT_EXPORTED.bookkeeping, key: true },
})

/** Messages that were submitted here and accepted by the source, until an event of it confirms them. */
export const MIRROR_OUTBOX = table('mirror_outbox', {
  hash: { type: 'bytes', key: true },
  fid: { type: 'fid', erasure: 'delete', exported: NOT_EXPORTED.transit },
  bytes: { type: 'bytes', words: true },
  sent_at: { type: 'millis' },
  due_at: { type: 'millis' },
  tries: { type: 'integer' },
})
export type MirrorOutbox = RowOf<typeof MIRROR_OUTBOX>

/** Messages of the source that are not stored, and why. */
export const MIRROR_QUARANTINE = table('mirror_quarantine', {
  fid: {
    type: 'fid',
    erasure: 'delete',
    exported: { not: 'Messages that this server has refused, as another server has them.' },
    key: true,
  },
  hash: { type: 'bytes', key: true },
  reason: { type: 'line', words: false },
  detail: { type: 'text', words: true },
  /** Empty when it is too large to be kept. */
  bytes: { type: 'bytes', words: true },
  first_seen: { type: 'millis' },
  last_seen: { type: 'millis' },
  tries: { type: 'integer' },
})
export type MirrorQuarantine = RowOf<typeof MIRROR_QUARANTINE>

/** How many messages moderation of this server keeps away at the last comparison. */
export const MIRROR_WITHHELD = table('mirror_withheld', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
  reason: { type: 'line', words: false, key: true },
  messages: { type: 'integer' },
})

const SOURCE = 'source'

type Counted<K extends string> = { readonly [Name in K]: string } & { readonly n: number }

const mirrorReader = (sql: Sql) => ({
  source: () => MIRROR_SOURCES.find(sql, SOURCE),
  shards: () => MIRROR_SHARDS.select(sql, 'order by shard'),
  shard: (shard: number) => MIRROR_SHARDS.find(sql, shard),
  fids: (fids: readonly number[]) => MIRROR_FIDS.findBy(sql, 'fid', [...new Set(fids)]),
  fidsAfter: (fid: number, limit: number) =>
    MIRROR_FIDS.select(sql, 'where fid > ? order by fid limit (? + 0)', [fid, limit]),
  /** Those who are to be compared by now: people of the context once nobody else is. */
  async due(now: number, limit: number): Promise<MirrorFid[]> {
    const rest = 'order by due_at limit (? + 0)'
    const chosen = `where due_at <= ? and state not in ('frozen', 'context') ${rest}`
    const rows = await MIRROR_FIDS.select(sql, chosen, [now, limit])
    if (rows.length > 0) return rows
    return MIRROR_FIDS.select(sql, `where due_at <= ? and state = 'context' ${rest}`, [now, limit])
  },
  /** How many are to be compared by then. Two counts: the first needs only the index, the second few rows. */
  async dueCount(by: number): Promise<number> {
    const [all, frozen] = await Promise.all([
      MIRROR_FIDS.count(sql, 'where due_at <= ?', [by]),
      MIRROR_FIDS.count(sql, `where due_at <= ? and state = 'frozen'`, [by]),
    ])
    return Math.max(0, all - frozen)
  },
  states: () =>
    query<Counted<'state'>>(sql, 'select state, count(*) as n from mirror_fid group by state'),
  async oldestCheck(): Promise<number> {
    const [row] = await sql.all(
      `select min(checked_at) as oldest from mirror_fid where state = 'live'`,
    )
    return Number(row?.oldest ?? 0)
  },
  rules: () => MIRROR_RULES.select(sql, 'order by id'),
  /** The rules that name a person, as far as it is found out whom they name. */
  rulesNaming: (fid: number) =>
    MIRROR_RULES.select(
      sql,
      'where id in (select rule from mirror_member where fid = ?) order by id',
      [fid],
    ),
  quarantined: (fid: number, hash: Uint8Array) => MIRROR_QUARANTINE.find(sql, fid, hash),
  quarantineOf: (fid: number, limit: number) =>
    MIRROR_QUARANTINE.select(sql, 'where fid = ? order by hash limit (? + 0)', [fid, limit]),
  quarantineAfter: (reason: string | undefined, after: After, limit: number) =>
    MIRROR_QUARANTINE.select(
      sql,
      `where (fid, hash) > (?, ?) ${reason === undefined ? '' : 'and reason = ?'}
        order by fid, hash limit (? + 0)`,
      [...(after ?? [0, new Uint8Array(0)]), ...(reason === undefined ? [] : [reason]), limit],
    ),
  quarantineReasons: () =>
    query<Counted<'reason'>>(
      sql,
      'select reason, count(*) as n from mirror_quarantine group by reason order by reason',
    ),
  quarantineCount: () => MIRROR_QUARANTINE.count(sql),
  async withheldOf(fid: number): Promise<number> {
    const rows = await MIRROR_WITHHELD.findBy(sql, 'fid', [fid])
    return rows.reduce((sum, { messages }) => sum + messages, 0)
  },
  outboxOf: (fid: number) => MIRROR_OUTBOX.select(sql, 'where fid = ?', [fid]),
  /** How many of these messages wait until the source confirms them. */
  async waitingSubmits(hashes: readonly Uint8Array[]): Promise<number> {
    if (hashes.length === 0 || (await MIRROR_OUTBOX.first(sql, 'limit 1')) === undefined) return 0
    return (
      await MIRROR_OUTBOX.findAll(
        sql,
        hashes.map((hash) => ({ hash })),
      )
    ).length
  },
  outboxDue: (now: number, limit: number) =>
    MIRROR_OUTBOX.select(sql, 'where due_at <= ? order by due_at limit (? + 0)', [now, limit]),
  async withheld(): Promise<number> {
    const [row] = await sql.all('select coalesce(sum(messages), 0) as n from mirror_withheld')
    return Number(row?.n ?? 0)
  },
})

const mirrorWriter = (sql: Sql) => ({
  ...mirrorReader(sql),
  putSource: (source: Omit<MirrorSource, 'name'>) =>
    MIRROR_SOURCES.upsert(sql, [{ name: SOURCE, ...source }]),
  putShards: (shards: readonly MirrorShard[]) => MIRROR_SHARDS.upsert(sql, shards),
  putFids: (fids: readonly NewMirrorFid[]) => MIRROR_FIDS.upsert(sql, fids),
  insertNewFids: (fids: readonly NewMirrorFid[]) => MIRROR_FIDS.insertNew(sql, fids),
  /** Has these people compared at this time, or earlier if they were to be; and again if they are being compared. */
  async setDue(fids: readonly number[], at: number): Promise<void> {
    const rows = await MIRROR_FIDS.findBy(sql, 'fid', [...new Set(fids)])
    const asked = rows.map(({ fid, due_at }) => ({ fid, asks: 1, due_at: Math.min(due_at, at) }))
    await MIRROR_FIDS.add(sql, ['asks'], ['due_at'], asked)
  },
  /** Has somebody tried again at once whose messages wait for a key or a name. */
  async retryWaiting(fid: number, now: number): Promise<void> {
    const waiting = await MIRROR_QUARANTINE.count(sql, `where fid = ? and reason = 'waiting'`, [
      fid,
    ])
    if (waiting > 0) await this.setDue([fid], now)
  },
  /** Has everybody tried again who has refused messages, of one reason or of all. Returns how many people. */
  async retryRefused(reason: string | undefined, now: number): Promise<number> {
    const [where, values] = reason === undefined ? ['', []] : ['where reason = ?', [reason]]
    await sql.all(
      `update mirror_fid set asks = asks + 1, due_at = case when due_at > ? then ? else due_at end
        where fid in (select fid from mirror_quarantine ${where})`,
      [now, now, ...values],
    )
    const count = `select count(distinct fid) as n from mirror_quarantine ${where}`
    const [row] = await sql.all(count, values)
    return Number(row?.n ?? 0)
  },
  /** Has everybody who is mirrored compared by this time, and again who is being compared; and finds out who everybody is. */
  async setAllDue(at: number): Promise<void> {
    await sql.all(
      `update mirror_rule set resolved_at = 0, added_at = added_at + 1 where kind = 'all'`,
    )
    await sql.all(
      `update mirror_fid set asks = asks + 1, due_at = case when due_at > ? then ? else due_at end
        where state <> 'frozen'`,
      [at, at],
    )
  },
  putRules: (rules: readonly MirrorRule[]) => MIRROR_RULES.upsert(sql, rules),
  /** Removes a rule, and that it names anybody. */
  async removeRule(id: number): Promise<void> {
    await MIRROR_MEMBERS.removeBy(sql, 'rule', [id])
    await MIRROR_RULES.removeBy(sql, 'id', [id])
  },
  /** Says whom a rule names, and nobody else. */
  async setMembers(rule: number, fids: readonly number[]): Promise<void> {
    const known = await MIRROR_MEMBERS.findBy(sql, 'rule', [rule])
    const named = new Set(fids)
    await MIRROR_MEMBERS.remove(
      sql,
      known.filter(({ fid }) => !named.has(fid)),
    )
    await MIRROR_MEMBERS.insertNew(
      sql,
      fids.map((fid) => ({ rule, fid })),
    )
  },
  /** Notes whom no rule names any more, and freezes those of whom this was noted before a time. */
  async noteLeavers({
    now,
    frozenBefore,
  }: {
    readonly now: number
    readonly frozenBefore: number
  }) {
    const isNamed = 'exists (select 1 from mirror_member m where m.fid = mirror_fid.fid)'
    const isOpen = `state not in ('frozen', 'erasing', 'context')`
    await sql.all(`update mirror_fid set left_at = 0 where left_at > 0 and ${isNamed}`)
    await sql.all(
      `update mirror_fid set left_at = ? where left_at = 0 and ${isOpen} and not ${isNamed}`,
      [now],
    )
    await sql.all(
      `update mirror_fid set state = 'frozen' where left_at > 0 and left_at <= ? and ${isOpen}`,
      [frozenBefore],
    )
  },
  /** Has the messages removed of whom this rule names and no other one. Returns how many people. */
  async eraseMembers(rule: number, now: number): Promise<number> {
    const rows = await query<{ fid: number }>(
      sql,
      `update mirror_fid set state = 'erasing', due_at = ?
        where fid in (select fid from mirror_member where rule = ?)
          and fid not in (select fid from mirror_member where rule <> ?)
        returning fid`,
      [now, rule, rule],
    )
    return rows.length
  },
  /** Has everything removed of these people who are context. */
  async eraseContext(fids: readonly number[], now: number): Promise<void> {
    const rows = (await MIRROR_FIDS.findBy(sql, 'fid', fids)).filter(
      ({ state }) => state === 'context',
    )
    const erasing = rows.map(({ fid }) => ({ fid, state: 'erasing' as const, due_at: now }))
    await MIRROR_FIDS.update(sql, ['state', 'due_at'], erasing)
  },
  removeFid: (fid: number) => MIRROR_FIDS.removeBy(sql, 'fid', [fid]),
  removeQuarantineOf: (fid: number) => MIRROR_QUARANTINE.removeBy(sql, 'fid', [fid]),
  putQuarantine: (rows: readonly MirrorQuarantine[]) => MIRROR_QUARANTINE.upsert(sql, rows),
  removeQuarantine: (rows: readonly Pick<MirrorQuarantine, 'fid' | 'hash'>[]) =>
    MIRROR_QUARANTINE.remove(sql, rows),
  insertOutbox: (row: MirrorOutbox) => MIRROR_OUTBOX.upsert(sql, [row]),
  /** Only if no event has confirmed it since it was read. */
  updateOutbox: ({ hash, due_at, tries }: MirrorOutbox) =>
    MIRROR_OUTBOX.update(sql, ['due_at', 'tries'], [{ hash, due_at, tries }]),
  /** Ends the wait for these messages. Returns how many waited. */
  async confirmSubmits(hashes: readonly Uint8Array[]): Promise<number> {
    if (hashes.length === 0 || (await MIRROR_OUTBOX.first(sql, 'limit 1')) === undefined) return 0
    return MIRROR_OUTBOX.remove(
      sql,
      hashes.map((hash) => ({ hash })),
    )
  },
  async putWithheld(fid: number, messages: number): Promise<void> {
    await MIRROR_WITHHELD.removeBy(sql, 'fid', [fid])
    if (messages > 0) await MIRROR_WITHHELD.insert(sql, [{ fid, reason: 'moderation', messages }])
  },
})

/** `storage.of(mirrorRows)` reads these tables, and `tx.of(mirrorRows)` writes them. */
export const mirrorRows = rowsOf(mirrorReader, ({ sql }) => mirrorWriter(sql))
