import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { PlatformPart, Storage, Writer } from '../../kernel/storage/storage.ts'
import { moderates, moderatorsOf, roleOf } from './channel-rules.ts'
import { type ChannelContext, nextVersion } from './context.ts'
import { castTargetOf } from './edits.ts'
import { checkUrl } from './request-checks.ts'
import type { ChannelRecord, ExportRecord } from './schemas.ts'
import type {
  ChannelText,
  CountChange,
  Follow,
  Membership,
  StoredChannel,
} from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'
import { CHANNEL_JSON, FOLLOW_JSON, MEMBERSHIP_JSON } from './tables/published-json.ts'

// Imports and exports of channels, their followers and their members, in batches of bounded size. Importing a
// record again is idempotent, so an import that was interrupted is repeated from its first record.

/** The number of records of a batch that were new. */
export type Imported = {
  readonly channels: number
  readonly follows: number
  readonly standings: number
}

/** The position of an export: the index of its section and the key of the last record. */
export type ExportPosition = readonly [section: number, id: string, fid: number]

export const createImportExport = ({ storage }: ChannelContext) => ({
  /** Stores all records of a batch or none. */
  importRecords(records: readonly ExportRecord[]): Promise<Imported> {
    const batch = readBatch(records)
    return storage.write(partsOf(batch), async (tx) => {
      const before = await readKnown(tx, batch)
      const version = await nextVersion(tx)
      await tx.of(channelRows).put(
        batch.channels.map(({ row }) => ({
          ...row,
          created_by: before.get(row.id)?.created_by ?? null,
        })),
        version,
      )
      const after = new Map<string, Ranks>(before)
      for (const { row } of batch.channels) after.set(row.id, row)
      const memberships = [...batch.memberships.map(checkRank(after)), ...ranksOf(batch.channels)]
      const follows = await addFollows(tx, batch.follows)
      const members = await addMemberships(tx, memberships)
      await tx.of(channelRows).count(sums(follows, members.changes), version)
      const channels = batch.channels.filter(({ row }) => !before.has(row.id)).length
      return { channels, follows: follows.length, standings: members.added }
    })
  },

  /** Reads records of one section; `next` is undefined after the last section. */
  async exportRecords(
    [index, id, fid]: ExportPosition,
    limit: number,
  ): Promise<{ lines: ExportRecord[]; next: ExportPosition | undefined }> {
    const page = await SECTIONS[index]!(storage, id === '' ? undefined : [id, fid], limit)
    if (page.lines.length === limit) return { lines: page.lines, next: [index, ...page.last] }
    const isLast = index === SECTIONS.length - 1
    return { lines: page.lines, next: isLast ? undefined : [index + 1, '', 0] }
  },
})

type Section = (
  storage: Storage,
  after: [id: string, fid: number] | undefined,
  limit: number,
) => Promise<{ lines: ExportRecord[]; last: [id: string, fid: number] }>

/** The sections of an export, in an order in which an import takes them: channels before what refers to them. */
export const SECTIONS: readonly Section[] = [
  async ({ of }, after, limit) => {
    const rows = await of(channelRows).list(after?.[0] ?? '', limit)
    const lines = rows.map((row) => ({ channel: CHANNEL_JSON.record(row) }))
    return { lines, last: [rows.at(-1)?.id ?? '', 0] }
  },
  async ({ of }, after, limit) => {
    const rows = await of(channelRows).listFollows(after, limit)
    return { lines: rows.map((row) => ({ follow: FOLLOW_JSON.record(row) })), last: lastOf(rows) }
  },
  async ({ of }, after, limit) => {
    const rows = await of(channelRows).listMemberships(after, limit)
    const lines = rows.map((row) => ({ standing: MEMBERSHIP_JSON.record(row) }))
    return { lines, last: lastOf(rows) }
  },
]

function lastOf(rows: readonly (Follow | Membership)[]): [id: string, fid: number] {
  const { channel_id = '', fid = 0 } = rows.at(-1) ?? {}
  return [channel_id, fid]
}

/** A row and the index of its record in the batch, for error messages. */
type Numbered<T> = { readonly row: T; readonly line: number }
type Batch = {
  readonly channels: Numbered<ChannelText>[]
  readonly follows: Numbered<Follow>[]
  readonly memberships: Numbered<Membership>[]
}
type Ranks = Pick<StoredChannel, 'id' | 'lead_fid' | 'moderator_fid' | 'moderator_fids'>

/** When several records describe the same thing, the last one counts. */
function readBatch(records: readonly ExportRecord[]): Batch {
  const channels = new Map<string, Numbered<ChannelText>>()
  const follows = new Map<string, Numbered<Follow>>()
  const memberships = new Map<string, Numbered<Membership>>()
  for (const [line, { channel, follow, standing }] of records.entries()) {
    if ([channel, follow, standing].filter(Boolean).length !== 1) {
      throw faulty(line, 'must have one of channel, follow and standing')
    }
    if (channel) channels.set(channel.id, { line, row: channelRow(channel, line) })
    if (follow) {
      const row = FOLLOW_JSON.rowOf(follow)
      follows.set(keyOf(row), { line, row })
    }
    if (standing) {
      const row = MEMBERSHIP_JSON.rowOf(standing)
      memberships.set(keyOf(row), { line, row })
    }
  }
  return {
    channels: [...channels.values()],
    follows: [...follows.values()],
    memberships: [...memberships.values()],
  }
}

function channelRow(channel: ChannelRecord, line: number): ChannelText {
  const field = `lines.${line}.channel.`
  CHANNEL_JSON.check('import', channel, field)
  checkUrl(channel.url, `${field}url`)
  return {
    ...CHANNEL_JSON.rowOf(channel),
    cast_target: castTargetOf(channel.url),
    created_by: null,
  }
}

/** Reads the existing channels that the batch refers to. Throws when a url is taken or a channel is unknown. */
async function readKnown(tx: Writer, batch: Batch): Promise<Map<string, StoredChannel>> {
  const named = [...batch.follows, ...batch.memberships].map(({ row }) => row.channel_id)
  const urls = new Map<string, string>()
  const keys = [...new Set(named)].map((id) => ({ id, url: '' }))
  for (const { row, line } of batch.channels) {
    if (urls.has(row.url)) throw faulty(line, `url ${row.url} is that of another line`, 'conflict')
    urls.set(row.url, row.id)
    keys.push({ id: row.id, url: row.url })
  }
  const rows = await tx.of(channelRows).byIdsOrUrls(keys)
  const known = new Map(rows.map((row) => [row.id, row]))
  const holders = new Map(rows.map((row) => [row.url, row.id]))
  for (const { row, line } of batch.channels) {
    const holder = holders.get(row.url) ?? row.id
    if (holder !== row.id) {
      throw faulty(line, `url ${row.url} is that of channel ${holder}`, 'conflict')
    }
  }
  const brought = new Set(batch.channels.map(({ row }) => row.id))
  for (const { row, line } of [...batch.follows, ...batch.memberships]) {
    if (known.has(row.channel_id) || brought.has(row.channel_id)) continue
    throw faulty(line, `Channel ${row.channel_id} does not exist`, 'unknown')
  }
  return known
}

/** The locks of a batch: its channels, and that of ids and urls, which are unique. */
function partsOf({ channels, follows, memberships }: Batch): PlatformPart[] {
  const ids = [
    ...channels.map(({ row }) => row.id),
    ...[...follows, ...memberships].map(({ row }) => row.channel_id),
  ]
  return ['all/channels', ...ids.map((id) => `channel/${id}` as const)]
}

/** Throws when a record restricts or bans an owner or a moderator, who are always members. */
const checkRank =
  (channels: ReadonlyMap<string, Ranks>) =>
  ({ row, line }: Numbered<Membership>): Membership => {
    const isRanked = moderates(roleOf(channels.get(row.channel_id)!, row.fid, undefined))
    if (row.standing === 'member' || !isRanked) return row
    throw faulty(line, `FID ${row.fid} owns or moderates channel ${row.channel_id}`, 'conflict')
  }

/** Memberships of the owner and the moderators of each channel, from its creation on. */
const ranksOf = (channels: readonly Numbered<ChannelText>[]): (Membership & { isRank: true })[] =>
  channels.flatMap(({ row }) => {
    const ranks = [row.lead_fid, row.moderator_fid, ...moderatorsOf(row)]
    return [...new Set(ranks.filter((fid) => fid !== null))].map((fid) => ({
      channel_id: row.id,
      fid,
      standing: 'member' as const,
      since: row.created_at,
      isRank: true as const,
    }))
  })

/** Stores follows. Returns the new ones. */
async function addFollows(tx: Writer, follows: readonly Numbered<Follow>[]): Promise<Follow[]> {
  const rows = follows.map(({ row }) => row)
  const added = await tx.of(channelRows).addFollows(rows)
  await tx.of(channelRows).setFollowedAt(rows)
  return added
}

async function addMemberships(
  tx: Writer,
  rows: readonly (Membership & { isRank?: true })[],
): Promise<{ added: number; changes: CountChange[] }> {
  const known = new Map(
    (await tx.of(channelRows).membershipsOf(rows)).map((row) => [keyOf(row), row]),
  )
  const written = new Map<string, Membership>()
  for (const row of rows) {
    // A membership record has the actual time; a rank only implies one.
    const present = written.get(keyOf(row)) ?? known.get(keyOf(row))
    if (row.isRank && present?.standing === 'member') continue
    written.set(keyOf(row), row)
  }
  const list = [...written.values()]
  await tx.of(channelRows).putMemberships(list)
  const changes = list.map((row) => ({
    id: row.channel_id,
    members:
      Number(row.standing === 'member') - Number(known.get(keyOf(row))?.standing === 'member'),
  }))
  return { added: list.filter((row) => !known.has(keyOf(row))).length, changes }
}

const keyOf = ({ channel_id, fid }: Pick<Membership, 'channel_id' | 'fid'>) =>
  `${channel_id}/${fid}`

/** Sums the changes of counts, one entry for each channel. */
function sums(follows: readonly Follow[], members: readonly CountChange[]): CountChange[] {
  const totals = new Map<string, { id: string; followers: number; members: number }>()
  const add = (id: string, change: { followers?: number; members?: number }) => {
    const total = totals.get(id) ?? { id, followers: 0, members: 0 }
    total.followers += change.followers ?? 0
    total.members += change.members ?? 0
    totals.set(id, total)
  }
  for (const { channel_id } of follows) add(channel_id, { followers: 1 })
  for (const change of members) add(change.id, change)
  return [...totals.values()]
}

function faulty(line: number, text: string, why?: 'conflict' | 'unknown'): Rejection {
  const code =
    why === 'conflict'
      ? 'bad_request.conflict'
      : why === 'unknown'
        ? 'not_found'
        : 'bad_request.validation_failure'
  return new Rejection(code, `line ${line + 1} of the batch: ${text}`, { field: `lines.${line}` })
}
