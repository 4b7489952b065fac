import { fromHex } from '../../protocol/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type {
  ChannelText,
  CountChange,
  Follow,
  Membership,
  StoredChannel,
} from '../../storage/channels.ts'
import type { Writer } from '../../storage/storage.ts'
import { moderates, moderatorsOf, roleOf } from './channel-rules.ts'
import { type ChannelContext, nextVersion } from './context.ts'
import { castTargetOf } from './edits.ts'
import { channelJson, type ExportRecord, type PortableChannel } from './schemas.ts'
import { checkTexts, checkUrl } from './text-checks.ts'

// Channels in and out, a bounded portion at a time: channels, who follows them, who stands where. A line
// is taken as often as it comes, so an import that broke off is begun again from its first line.

/** What a portion brought that was not here before. */
export type Imported = {
  readonly channels: number
  readonly follows: number
  readonly standings: number
}

/** Where an export goes on: which kind of lines, and the key of the last one. */
export type ExportPosition = readonly [stage: number, id: string, fid: number]

export const createImportExport = ({ storage }: ChannelContext) => ({
  /** All of the lines or none. */
  importLines(lines: readonly ExportRecord[]): Promise<Imported> {
    const portion = readPortion(lines)
    return storage.write('platform', async (tx) => {
      const version = await nextVersion(tx)
      const before = await readKnown(tx, portion)
      await tx.channels.put(
        portion.channels.map(({ row }) => ({
          ...row,
          created_by: before.get(row.id)?.created_by ?? null,
        })),
        version,
      )
      const after = new Map<string, Ranks>(before)
      for (const { row } of portion.channels) after.set(row.id, row)
      const standings = [...portion.standings.map(checkRank(after)), ...ranksOf(portion.channels)]
      const follows = await addFollows(tx, portion.follows)
      const members = await addMemberships(tx, standings)
      await tx.channels.count(sums(follows, members.changes), version)
      const channels = portion.channels.filter(({ row }) => !before.has(row.id)).length
      return { channels, follows: follows.length, standings: members.added }
    })
  },

  /** Lines of one kind; `next` until there are no more of any. A channel comes before what is about it. */
  async exportLines(
    [stage, id, fid]: ExportPosition,
    limit: number,
  ): Promise<{ lines: ExportRecord[]; next: ExportPosition | undefined }> {
    const { channels } = storage
    const after = id === '' ? undefined : [id, fid]
    if (stage === 0) {
      const rows = await channels.list(id, limit)
      const last: ExportPosition = [0, rows.at(-1)?.id ?? '', 0]
      return { lines: rows.map(channelLine), next: rows.length < limit ? [1, '', 0] : last }
    }
    const rows: (Follow | Membership)[] =
      stage === 1
        ? await channels.listFollows(after, limit)
        : await channels.listMemberships(after, limit)
    const { channel_id = '', fid: lastFid = 0 } = rows.at(-1) ?? {}
    const end: ExportPosition | undefined = stage === 1 ? [2, '', 0] : undefined
    const next: ExportPosition = [stage, channel_id, lastFid]
    return { lines: rows.map(rowLine), next: rows.length < limit ? end : next }
  },
})

/** A row and the number of its line, for complaints. */
type Numbered<T> = { readonly row: T; readonly line: number }
type Portion = {
  readonly channels: Numbered<ChannelText>[]
  readonly follows: Numbered<Follow>[]
  readonly standings: Numbered<Membership>[]
}
type Ranks = Pick<StoredChannel, 'id' | 'lead_fid' | 'moderator_fid' | 'moderator_fids'>

/** Of lines about the same thing the last one counts. */
function readPortion(lines: readonly ExportRecord[]): Portion {
  const channels = new Map<string, Numbered<ChannelText>>()
  const follows = new Map<string, Numbered<Follow>>()
  const standings = new Map<string, Numbered<Membership>>()
  for (const [line, { channel, follow, standing }] of lines.entries()) {
    if ([channel, follow, standing].filter(Boolean).length !== 1) {
      throw faulty(line, 'must have one of channel, follow and standing')
    }
    if (channel) channels.set(channel.id, { line, row: channelRow(channel, line) })
    if (follow) {
      const { channelId: channel_id, fid, followedAt: followed_at } = follow
      follows.set(`${channel_id}/${fid}`, { line, row: { channel_id, fid, followed_at } })
    }
    if (standing) {
      const { channelId: channel_id, ...rest } = standing
      standings.set(`${channel_id}/${rest.fid}`, {
        line,
        row: { channel_id, fid: rest.fid, standing: rest.standing, since: rest.since },
      })
    }
  }
  return {
    channels: [...channels.values()],
    follows: [...follows.values()],
    standings: [...standings.values()],
  }
}

function channelRow(channel: PortableChannel, line: number): ChannelText {
  checkTexts(channel, `lines.${line}.channel.`)
  checkUrl(channel.url, `lines.${line}.channel.url`)
  return {
    id: channel.id,
    url: channel.url,
    cast_target: castTargetOf(channel.url),
    name: channel.name,
    description: channel.description ?? '',
    image_url: channel.imageUrl ?? '',
    header_image_url: channel.headerImageUrl ?? null,
    link_title: channel.externalLink?.title ?? null,
    link_url: channel.externalLink?.url ?? null,
    lead_fid: channel.leadFid ?? null,
    moderator_fid: channel.moderatorFid ?? null,
    moderator_fids: [...new Set(channel.moderatorFids)].join(),
    public_casting: Number(channel.publicCasting ?? true),
    pinned_hash: channel.pinnedCastHash ? fromHex(channel.pinnedCastHash)! : null,
    created_at: channel.createdAt,
    created_by: null,
  }
}

/** The channels here that the lines are about. Throws when a url is another's or a channel is nowhere. */
async function readKnown(tx: Writer, portion: Portion): Promise<Map<string, StoredChannel>> {
  const named = [...portion.follows, ...portion.standings].map(({ row }) => row.channel_id)
  const urls = new Map<string, string>()
  const keys = [...new Set(named)].map((id) => ({ id, url: '' }))
  for (const { row, line } of portion.channels) {
    if (urls.has(row.url)) throw faulty(line, `url ${row.url} is that of another line`, 'conflict')
    urls.set(row.url, row.id)
    keys.push({ id: row.id, url: row.url })
  }
  const rows = await tx.channels.byIdsOrUrls(keys)
  const known = new Map(rows.map((row) => [row.id, row]))
  const holders = new Map(rows.map((row) => [row.url, row.id]))
  for (const { row, line } of portion.channels) {
    const holder = holders.get(row.url) ?? row.id
    if (holder !== row.id) {
      throw faulty(line, `url ${row.url} is that of channel ${holder}`, 'conflict')
    }
  }
  const brought = new Set(portion.channels.map(({ row }) => row.id))
  for (const { row, line } of [...portion.follows, ...portion.standings]) {
    if (known.has(row.channel_id) || brought.has(row.channel_id)) continue
    throw faulty(line, `Channel ${row.channel_id} does not exist`, 'unknown')
  }
  return known
}

/** Whoever owns or moderates a channel is a member and nothing else. */
const checkRank =
  (channels: ReadonlyMap<string, Ranks>) =>
  ({ row, line }: Numbered<Membership>): Membership => {
    const isRanked = moderates(roleOf(channels.get(row.channel_id)!, row.fid, undefined))
    if (row.standing === 'member' || !isRanked) return row
    throw faulty(line, `FID ${row.fid} owns or moderates channel ${row.channel_id}`, 'conflict')
  }

/** The owner and the moderators of channels, as members since the beginning. */
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

/** Those that are new, one row each. */
async function addFollows(tx: Writer, follows: readonly Numbered<Follow>[]): Promise<Follow[]> {
  const rows = follows.map(({ row }) => row)
  const added = await tx.channels.addFollows(rows)
  await tx.channels.setFollowedAt(rows)
  return added
}

async function addMemberships(
  tx: Writer,
  rows: readonly (Membership & { isRank?: true })[],
): Promise<{ added: number; changes: CountChange[] }> {
  const known = new Map((await tx.channels.membershipsOf(rows)).map((row) => [keyOf(row), row]))
  const written = new Map<string, Membership>()
  for (const row of rows) {
    // A rank says nothing of since when, where something else does.
    const present = written.get(keyOf(row)) ?? known.get(keyOf(row))
    if (row.isRank && present?.standing === 'member') continue
    written.set(keyOf(row), row)
  }
  const list = [...written.values()]
  await tx.channels.putMemberships(list)
  const changes = list.map((row) => ({
    id: row.channel_id,
    members:
      Number(row.standing === 'member') - Number(known.get(keyOf(row))?.standing === 'member'),
  }))
  return { added: list.filter((row) => !known.has(keyOf(row))).length, changes }
}

const keyOf = ({ channel_id, fid }: Pick<Membership, 'channel_id' | 'fid'>) =>
  `${channel_id}/${fid}`

/** What changes the counts of each channel, one entry each. */
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

const channelLine = (row: StoredChannel): ExportRecord => {
  const { followerCount: _, memberCount: __, ...channel } = channelJson(row)
  return { channel }
}

const rowLine = (row: Follow | Membership): ExportRecord => {
  const { channel_id: channelId, fid } = row
  return 'followed_at' in row
    ? { follow: { channelId, fid, followedAt: row.followed_at } }
    : { standing: { channelId, fid, standing: row.standing, since: row.since } }
}

function faulty(line: number, text: string, why?: 'conflict' | 'unknown'): Rejection {
  const code =
    why === 'conflict'
      ? 'bad_request.conflict'
      : why === 'unknown'
        ? 'not_found'
        : 'bad_request.validation_failure'
  return new Rejection(code, `line ${line + 1} of the portion: ${text}`, { field: `lines.${line}` })
}
