import { FID_BYTES, HASH_BYTES, MAX_FID, NO_BYTES } from '../../protocol/sizes.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetPrefix,
  MESSAGE_SETS,
  paddedLinkType,
  reactionsByTargetKey,
} from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { listStatement, type Sql } from '../engines/sql.ts'
import { isPublishedFid } from '../reads/published.ts'
import { query, queryEach } from './table.ts'

/** Kinds of interactions between accounts that express trust. */
export type EdgeKind = (typeof EDGE_KINDS)[number]
export const EDGE_KINDS = ['follow', 'like', 'recast', 'reply'] as const

type EdgeQuery = {
  readonly kind: EdgeKind
  readonly after?: EdgePosition | undefined
  readonly limit: number
}

/** The sort key of the last row of a batch. */
export type EdgePosition = {
  readonly target: Uint8Array
  readonly timestamp: number
  readonly hash: Uint8Array
  readonly fid: number
}

/** Source, target, and time in network seconds. */
type VisitEdge = (from: number, to: number, timestamp: number) => void

/** Reads a range of targets after a row. All columns are in the index by target: no message is read. */
export const EDGES = `
  select m.fid, m.timestamp, m.target, m.hash from message m
   where m.target >= ? and m.target < ? and (m.target, m.timestamp, m.hash, m.fid) > (?, ?, ?, ?)
     and ${isPublishedFid('m.fid')}
   order by m.target, m.timestamp, m.hash, m.fid limit (? + 0)`

const CAST_SINCE = listStatement(
  { fid: 'bigint', store: 'bigint', type: 'bigint', since: 'bigint' },
  `select i.fid from input i where exists (
     select 1 from message m
      where m.fid = i.fid and m.store = i.store and m.timestamp >= i.since and m.type = i.type)
     and ${isPublishedFid('i.fid')}`,
)

/** Above everything that may follow a fid in a target: at most a hash. */
const BEYOND = new Uint8Array(HASH_BYTES + 1).fill(0xff)
const FOLLOW = Buffer.from(paddedLinkType('follow'))

export const graphReader = (sql: Sql) => ({
  /**
   * Visits the next batch of all follows, likes, recasts or replies, and returns where to go on;
   * undefined at the end. They come by target, so that those towards one fid come together; one
   * account may be met several times. Everything is read from one index, never a message.
   */
  async edges(
    { kind, after, limit }: EdgeQuery,
    visit: VisitEdge,
  ): Promise<EdgePosition | undefined> {
    const first = prefixOf(kind, 0)
    const end = Buffer.concat([prefixOf(kind, MAX_FID), BEYOND])
    const from = after ?? { target: first, timestamp: 0, hash: NO_BYTES, fid: 0 }
    const rows = await query<EdgePosition>(sql, EDGES, [
      ...[from.target, end],
      ...[from.target, from.timestamp, from.hash, from.fid, limit],
    ])
    const fidEnd = first.length
    for (const { fid, target, timestamp } of rows) {
      // Links of all types are interleaved.
      if (kind === 'follow' && FOLLOW.compare(target, fidEnd, fidEnd + FOLLOW.length) !== 0) {
        continue
      }
      visit(fid, u32At(target, fidEnd - FID_BYTES), timestamp)
    }
    return rows.length < limit ? undefined : rows.at(-1)
  },
  /** Those of the fids that have a cast since this network second. */
  async castSince(fids: readonly number[], since: number): Promise<number[]> {
    const [store, type] = [MESSAGE_SETS.casts, MessageType.CAST_ADD]
    const rows: { fid: number }[] = await queryEach(
      sql,
      CAST_SINCE,
      fids.map((fid) => ({ fid, store, type, since })),
    )
    return rows.map(({ fid }) => fid)
  },
})

/** The prefix of the targets of such edges to a fid; it ends with the fid. */
function prefixOf(kind: EdgeKind, fid: number): Uint8Array {
  const anyCast = castTargetKey(fid, NO_BYTES)
  switch (kind) {
    case 'follow':
      return linksByTargetPrefix(fid)
    case 'like':
      return reactionsByTargetKey(ReactionType.LIKE, anyCast)
    case 'recast':
      return reactionsByTargetKey(ReactionType.RECAST, anyCast)
    case 'reply':
      return castsByParentKey(anyCast)
  }
}

const u32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
