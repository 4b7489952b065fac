import Type from 'typebox'
import { encodeCursor } from '../../kernel/http/input/paging.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import type { OnPlatform, PlatformContext } from '../../kernel/platform/context.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import { PageOf, Result } from '../../kernel/platform/schemas.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { MAX_BATCH_RECORDS } from './limits.ts'
import { STARTER_PACK_TAGS } from './routes.ts'
import { StarterPackBatch, StarterPackRecord } from './schemas.ts'
import { checkSize } from './starter-packs.ts'
import { STARTER_PACK_JSON, STARTER_PACK_MEMBER_JSON } from './tables/published-json.ts'
import type { StarterPackMember } from './tables/starter-packs.ts'
import { starterPackRows } from './tables/starter-packs.ts'

// Import and export of starter packs in batches, for the operator.

/** The sections of an export, in the order of an import: packs before their members. */
const [PACKS, MEMBERS] = [0, 1]

const exportPage = route('GET /platform/starter-packs/export', {
  callers: 'operator',
  summary: 'Export all starter packs with their members',
  description: 'Packs by id, then members. A page may be short; the last one has no `next`.',
  tags: STARTER_PACK_TAGS,
  query: {
    cursor: cursor('nsn'),
    limit: limit({ default: MAX_BATCH_RECORDS, max: MAX_BATCH_RECORDS }),
  },
  reply: PageOf(Type.Object({ lines: Type.Array(StarterPackRecord) })),
  errors: [],
  cost: 'list',
  handler: async ({ context: { storage } }: OnPlatform, { query }) => {
    const [section = 0, id = '', fid = 0] = query.cursor ?? []
    if (section === PACKS) {
      const rows = await storage.of(starterPackRows).list(String(id), query.limit)
      const lines = rows.map((row) => ({ starterPack: STARTER_PACK_JSON.record(row) }))
      const isLast = rows.length < query.limit
      const next = isLast ? [MEMBERS, '', 0] : [PACKS, rows.at(-1)!.id, 0]
      return { result: { lines }, next: { cursor: encodeCursor(next) } }
    }
    const rows = await storage.of(starterPackRows).listMembers([id, fid], query.limit)
    const lines = rows.map((row) => ({ starterPackMember: STARTER_PACK_MEMBER_JSON.record(row) }))
    const last = rows.length < query.limit ? undefined : rows.at(-1)
    const next = last && { cursor: encodeCursor([MEMBERS, last.pack_id, last.fid]) }
    return { result: { lines }, ...(next && { next }) }
  },
})
const importBatch = route('POST /platform/starter-packs/import', {
  callers: 'operator',
  summary: 'Import starter packs with their members',
  description:
    `Up to ${MAX_BATCH_RECORDS} lines, a pack before, or with, its members. All lines of a batch are stored or none. ` +
    'A known pack becomes what its line says; members that are there already keep their time.',
  tags: STARTER_PACK_TAGS,
  body: json(StarterPackBatch),
  reply: Result(
    Type.Object({
      starterPacks: Type.Integer({ description: 'The number of new packs.' }),
      starterPackMembers: Type.Integer(),
    }),
  ),
  errors: ['not_found', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ context }: OnPlatform, { body }) => ({
    result: await importRecords(context, body.lines),
  }),
})

type Numbered<T> = { readonly row: T; readonly line: number }
type Batch = {
  readonly packs: readonly Numbered<ReturnType<typeof STARTER_PACK_JSON.rowOf>>[]
  readonly members: readonly Numbered<StarterPackMember>[]
}

async function importRecords({ storage }: PlatformContext, lines: readonly StarterPackRecord[]) {
  const batch = readBatch(lines)
  const stored = await storage
    .of(starterPackRows)
    .byIds(batch.members.map(({ row }) => row.pack_id))
  // Each pack is changed under the lock of its creator.
  const creators = [...stored, ...batch.packs.map(({ row }) => row)].map((pack) => pack.creator_fid)
  const locks = [...new Set(creators)].map((fid) => `fid/${fid}` as const)
  if (locks.length === 0) throw unknownPack(batch.members[0]!)
  return storage.write(locks, (tx) => importBatchIn(tx, batch))
}

function readBatch(lines: readonly StarterPackRecord[]): Batch {
  const batch = { packs: [] as Batch['packs'][number][], members: [] as Batch['members'][number][] }
  for (const [line, { starterPack, starterPackMember }] of lines.entries()) {
    if ((starterPack === undefined) === (starterPackMember === undefined)) {
      const text = 'must have one of starterPack and starterPackMember'
      throw faulty(line, text, 'bad_request.validation_failure')
    }
    if (starterPack) {
      STARTER_PACK_JSON.check('import', starterPack, `lines.${line}.starterPack.`)
      batch.packs.push({ line, row: STARTER_PACK_JSON.rowOf(starterPack) })
    }
    if (starterPackMember) {
      batch.members.push({ line, row: STARTER_PACK_MEMBER_JSON.rowOf(starterPackMember) })
    }
  }
  return batch
}

async function importBatchIn(tx: Writer, { packs, members }: Batch) {
  const imported = new Map(packs.map(({ row }) => [row.id, row]))
  const ids = new Set(members.map(({ row }) => row.pack_id))
  const stored = await tx.of(starterPackRows).byIds([...new Set([...ids, ...imported.keys()])])
  const known = new Map(stored.map((pack) => [pack.id, pack]))
  for (const { line, row } of packs) {
    if ((known.get(row.id)?.creator_fid ?? row.creator_fid) === row.creator_fid) continue
    throw faulty(line, `starter pack ${row.id} is of another creator`, 'bad_request.conflict')
  }
  for (const member of members) {
    const { pack_id } = member.row
    if (!known.has(pack_id) && !imported.has(pack_id)) throw unknownPack(member)
  }
  await tx.of(starterPackRows).put([...imported.values()])
  const rows = new Map(members.map(({ row }) => [`${row.pack_id}/${row.fid}`, row]))
  const starterPackMembers = await tx.of(starterPackRows).addMembers([...rows.values()])
  for (const id of ids) await checkSize(tx, id, 'lines')
  const starterPacks = [...imported.keys()].filter((id) => !known.has(id)).length
  return { starterPacks, starterPackMembers }
}

const unknownPack = ({ line, row }: Numbered<StarterPackMember>) =>
  faulty(line, `Starter pack ${row.pack_id} does not exist`, 'not_found')

const faulty = (line: number, text: string, code: RejectionCode) =>
  new Rejection(code, `line ${line + 1} of the batch: ${text}`, { field: `lines.${line}` })

export const operatorStarterPackRoutes: readonly Route<OnPlatform>[] = [importBatch, exportPage]
