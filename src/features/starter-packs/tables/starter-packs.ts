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

/** Ids of the deployed platform have letters of both cases and hyphens. */
export const STARTER_PACK_ID = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/
const MAX_LINK_CHARACTERS = 512
const CREATE_AND_EDIT = ['create', 'edit'] as const

/** Lists of accounts that a newcomer may follow at once. */
export const STARTER_PACKS = table(
  'starter_pack',
  {
    id: { type: 'line', words: false, key: true, json: 'id', pattern: STARTER_PACK_ID },
    name: { type: 'line', words: true, json: 'name', min: 1, max: 48, accept: CREATE_AND_EDIT },
    description: {
      type: 'text',
      words: true,
      json: 'description',
      max: 300,
      default: '',
      accept: CREATE_AND_EDIT,
      description: 'May be empty.',
    },
    image_url: {
      type: 'link',
      words: true,
      json: 'imageUrl',
      max: MAX_LINK_CHARACTERS,
      default: '',
      accept: CREATE_AND_EDIT,
      description: 'Empty when the pack has no image.',
    },
    creator_fid: { type: 'fid', erasure: 'delete', exported: true, json: 'creatorFid' },
    created_at: { type: 'seconds', json: 'createdAt' },
    member_count: { type: 'integer', json: 'memberCount', counter: true },
  },
  {
    erase: ({ sql }, packs) =>
      removePacks(
        sql,
        packs.map(({ id }) => id),
      ),
  },
)
export type StarterPack = RowOf<typeof STARTER_PACKS>
type StarterPackText = NewRowOf<typeof STARTER_PACKS>

export const STARTER_PACK_MEMBERS = table(
  'starter_pack_member',
  {
    pack_id: { type: 'line', words: false, key: true, json: 'id', pattern: STARTER_PACK_ID },
    fid: {
      type: 'fid',
      erasure: KEPT.others,
      exported: NOT_EXPORTED.others,
      key: true,
      json: 'fid',
    },
    member_at: { type: 'millis', json: 'memberAt', description: 'Unix milliseconds.' },
  },
  { exported: 'pack_id in (select id from starter_pack where creator_fid = ?)' },
)
export type StarterPackMember = RowOf<typeof STARTER_PACK_MEMBERS>

const NEWEST = STARTER_PACKS.newestFirst({
  time: 'created_at',
  ties: ['id'],
  publishedFids: ['creator_fid'],
})
const MEMBERS = STARTER_PACK_MEMBERS.newestFirst({
  time: 'member_at',
  ties: ['fid'],
  publishedFids: ['fid'],
})

/** The stored number of members of a starter pack and the actual number of rows. */
type PackCounts = { readonly id: string; readonly member_count: number; readonly members: number }
const MISCOUNTED = `select * from (
    select p.id, p.member_count,
      (select count(*) from starter_pack_member m where m.pack_id = p.id) as members
    from starter_pack p) as counted
  where member_count <> members order by id limit (? + 0)`

export const starterPackReader = (sql: Sql) => ({
  /** Starter packs whose number of members differs from their rows. */
  miscounted: (limit: number) => query<PackCounts>(sql, MISCOUNTED, [limit]),
  byId: (id: string) => STARTER_PACKS.find(sql, id),
  byIds: (ids: readonly string[]) =>
    STARTER_PACKS.findAll(
      sql,
      ids.map((id) => ({ id })),
    ),
  /** By (created_at desc, id), of one creator or of all. */
  newest: (creatorFid: number | undefined, after: After, limit: number) =>
    NEWEST(sql, { creator_fid: creatorFid }, after, limit),
  countOf: (creatorFid: number) => STARTER_PACKS.count(sql, 'where creator_fid = ?', [creatorFid]),
  /** By (member_at desc, fid). */
  members: (pack_id: string, after: After, limit: number) =>
    MEMBERS(sql, { pack_id }, after, limit),
  /** Pages for exports: packs in order of id, members in order of (pack_id, fid). */
  list: (afterId: string, limit: number) => STARTER_PACKS.pageByKey(sql, [afterId], limit),
  listMembers: (after: After, limit: number) => STARTER_PACK_MEMBERS.pageByKey(sql, after, limit),
})

export const starterPackWriter = (sql: Sql) => ({
  ...starterPackReader(sql),
  /** Stores packs, new or known by their ids. Their members stay. */
  put: (packs: readonly StarterPackText[]) => STARTER_PACKS.upsert(sql, packs),
  /** Adds members and counts those that are new; returns their number. The others keep their time. */
  async addMembers(rows: readonly StarterPackMember[]): Promise<number> {
    const added = await STARTER_PACK_MEMBERS.insertNew(sql, rows)
    await count(sql, added, 1)
    return added.length
  },
  async removeMembers(packId: string, fids: readonly number[]): Promise<void> {
    const keys = fids.map((fid) => ({ pack_id: packId, fid }))
    const members = await STARTER_PACK_MEMBERS.findAll(sql, keys)
    await STARTER_PACK_MEMBERS.remove(sql, members)
    await count(sql, members, -1)
  },
  /** Removes a pack with its members. */
  remove: (id: string) => removePacks(sql, [id]),
})

async function removePacks(sql: Sql, ids: readonly string[]): Promise<void> {
  await STARTER_PACK_MEMBERS.removeBy(sql, 'pack_id', ids)
  await STARTER_PACKS.removeBy(sql, 'id', ids)
}

async function count(sql: Sql, members: readonly StarterPackMember[], sign: 1 | -1): Promise<void> {
  const changes = new Map<string, number>()
  for (const { pack_id } of members) changes.set(pack_id, (changes.get(pack_id) ?? 0) + sign)
  const rows = [...changes].map(([id, member_count]) => ({ id, member_count }))
  await STARTER_PACKS.add(sql, ['member_count'], [], rows)
}

/** `storage.of(starterPackRows)` reads these tables, and `tx.of(starterPackRows)` writes them. */
export const starterPackRows = rowsOf(starterPackReader, ({ sql }) => starterPackWriter(sql))
