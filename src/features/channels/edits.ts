import { Rejection } from '../../kernel/protocol/rejection.ts'
import { castsByParentKey, urlTargetKey } from '../../kernel/protocol/slots.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { applyMembership, changeOf, readPair, rewrite, withModerator } from './apply-change.ts'
import { decideAppointment } from './channel-rules.ts'
import { type ChannelContext, getChannel, nextVersion } from './context.ts'
import { checkFid, checkUrl } from './request-checks.ts'
import type { ChannelEdit, NewChannel, NewChannelFor } from './schemas.ts'
import type { ChannelText, StoredChannel } from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'
import { CHANNEL_JSON } from './tables/published-json.ts'

/** Creating and editing channels. */
export const createEdits = (context: ChannelContext) => ({
  create: (fid: number, body: NewChannel): Promise<StoredChannel> =>
    createChannel(context, body, { ownerFid: fid, createdBy: fid }),
  edit: (fid: number, body: ChannelEdit): Promise<StoredChannel> => editChannel(context, body, fid),
  /** Creates a channel for the operator: reserved ids are allowed, the owner is optional, no quota applies. */
  async createFor(body: NewChannelFor): Promise<StoredChannel> {
    const { ownerFid } = body
    if (ownerFid !== undefined) await checkFid(context.accounts, ownerFid, 'ownerFid')
    return createChannel(context, body, { ownerFid: ownerFid ?? null, createdBy: null })
  },
  editAny: (body: ChannelEdit): Promise<StoredChannel> => editChannel(context, body, undefined),
})

/** `createdBy` is the user against whose quota the channel counts; null for the operator. */
type Creation = { readonly ownerFid: number | null; readonly createdBy: number | null }

function createChannel(
  { storage, settings, now }: ChannelContext,
  body: NewChannel,
  { ownerFid, createdBy }: Creation,
): Promise<StoredChannel> {
  const channel = newChannel(body, { ownerFid, createdBy }, now(), settings.channelUrlBase)
  return storage.write(['all/channels', `channel/${channel.id}`], async (tx) => {
    const known = await tx.of(channelRows).byIdsOrUrls([channel])
    const repeated = known.find((one) => isRepeat(one, channel))
    if (repeated) return repeated
    checkFree(known, channel)
    if (createdBy !== null) await checkMayCreate(tx, settings, channel.id, createdBy)
    const version = await nextVersion(tx)
    await tx.of(channelRows).put([channel], version)
    if (ownerFid !== null) {
      const { id: channel_id, created_at: since } = channel
      const owner = { channel_id, fid: ownerFid, standing: 'member', since } as const
      await tx.of(channelRows).putMemberships([owner])
      await tx.of(channelRows).count([{ id: channel_id, members: 1 }], version)
    }
    return getChannel(tx, channel.id)
  })
}

async function checkMayCreate(
  { of }: Writer,
  { channelsPerFid, maxChannels }: ChannelContext['settings'],
  id: string,
  fid: number,
): Promise<void> {
  if (await of(channelRows).isReserved(id)) {
    throw new Rejection('unauthorized', `Channel id ${id} is reserved`, { field: 'channelId' })
  }
  if ((await of(channelRows).createdBy(fid)) >= channelsPerFid) {
    const text = `FID ${fid} has created ${channelsPerFid} channels, and may no more`
    throw new Rejection('unauthorized', text)
  }
  if ((await of(channelRows).createdByUsers()) >= maxChannels) {
    const text = `this server has ${maxChannels} channels of users, and takes no more`
    throw new Rejection('unauthorized', text)
  }
}

/** `actorFid` is undefined for the operator, who has the owner's permissions. */
async function editChannel(
  { storage, accounts, now }: ChannelContext,
  body: ChannelEdit,
  actorFid: number | undefined,
): Promise<StoredChannel> {
  CHANNEL_JSON.check('edit', body)
  const { channelId, ownerFid, moderatorFid } = body
  if (ownerFid !== undefined) await checkFid(accounts, ownerFid, 'ownerFid')
  if (moderatorFid != null) await checkFid(accounts, moderatorFid, 'moderatorFid')
  return storage.write(`channel/${channelId}`, async (tx) => {
    const channel = await getChannel(tx, channelId)
    if (actorFid !== undefined && channel.lead_fid !== actorFid) {
      throw new Rejection('unauthorized', `FID ${actorFid} does not own channel ${channelId}`)
    }
    const appointed = [ownerFid, moderatorFid].filter((fid) => fid != null)
    let members = 0
    for (const fid of new Set(appointed)) members += await appoint(tx, channel, fid, now())
    // An owner is not listed as a moderator too.
    const ranks =
      ownerFid === undefined || ownerFid === channel.lead_fid
        ? channel
        : { ...withModerator(channel, ownerFid, false), lead_fid: ownerFid }
    await rewrite(tx, channel, { ...ranks, ...CHANNEL_JSON.valuesOf('edit', body) }, members)
    return getChannel(tx, channelId)
  })
}

/** An appointment needs no consent, so that a channel is never without an owner or moderator. */
async function appoint(
  tx: Writer,
  channel: StoredChannel,
  fid: number,
  now: number,
): Promise<number> {
  const { pair, status } = await readPair(tx, channel, fid, fid)
  const change = changeOf(decideAppointment(pair)) ?? {}
  return applyMembership(tx, { channel, actorFid: fid, fid, status, now }, change)
}

function newChannel(
  body: NewChannel,
  { ownerFid, createdBy }: Creation,
  now: number,
  urlBase: string,
): ChannelText {
  const { channelId: id, url = urlBase + id } = body
  CHANNEL_JSON.check('create', body)
  checkUrl(url)
  // A default url is reserved for the channel with that id.
  if (url.startsWith(urlBase) && url !== urlBase + id) {
    throw new Rejection('bad_request.validation_failure', `url belongs to another channel id`, {
      field: 'url',
    })
  }
  return {
    ...CHANNEL_JSON.defaults,
    name: id,
    ...CHANNEL_JSON.valuesOf('create', body),
    id,
    url,
    cast_target: castTargetOf(url),
    lead_fid: ownerFid,
    created_at: now,
    created_by: createdBy,
  }
}

/** The message target of casts whose parent is the url. */
export const castTargetOf = (url: string): Uint8Array => castsByParentKey(urlTargetKey(url))

/** The columns that a creation request determines. */
const REQUESTED = [...CHANNEL_JSON.columnsOf('create'), 'id', 'lead_fid', 'created_by'] as const

/** Whether the channel is what the request asks for. Clients repeat a request whose response was lost. */
const isRepeat = (known: StoredChannel, asked: ChannelText): boolean =>
  REQUESTED.every((column) => known[column] === asked[column])

function checkFree(known: readonly StoredChannel[], { id, url }: ChannelText): void {
  for (const channel of known) {
    const [field, text] =
      channel.id === id
        ? ['channelId', `Channel ${id} exists already`]
        : ['url', `url ${url} is that of channel ${channel.id}`]
    throw new Rejection('bad_request.conflict', text, { field })
  }
}
