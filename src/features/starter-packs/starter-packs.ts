import { base32nopad } from '@scure/base'
import type { PlatformContext } from '../../kernel/platform/context.ts'
import { unknownFid } from '../../kernel/platform/unknown.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { MAX_MEMBERS_PER_PACK, MAX_PACKS_PER_FID } from './limits.ts'
import type { NewStarterPack, StarterPackEdit } from './schemas.ts'
import { STARTER_PACK_JSON } from './tables/published-json.ts'
import { STARTER_PACK_ID, type StarterPack, starterPackRows } from './tables/starter-packs.ts'

// Starter packs: lists of accounts that a newcomer may follow at once. Only the creator of a pack changes it.

type Context = Pick<PlatformContext, 'storage' | 'now' | 'clock' | 'randomBytes'>

/** Finds a pack by a text that may not be a valid id. Throws a Rejection when there is none. */
export async function getPack({ of }: Pick<Reader, 'of'>, id: string): Promise<StarterPack> {
  const pack = STARTER_PACK_ID.test(id) ? await of(starterPackRows).byId(id) : undefined
  if (!pack) throw unknownPack(id)
  return pack
}

/** The same for everybody: a pack of a hidden account is not shown. */
export async function getShownPack(
  reader: Pick<Reader, 'of' | 'moderation'>,
  id: string,
): Promise<StarterPack> {
  const pack = await getPack(reader, id)
  if ((await reader.moderation.account(pack.creator_fid))?.hidden === 1) throw unknownPack(id)
  return pack
}

const unknownPack = (id: string) =>
  new Rejection('not_found', `Starter pack ${id} does not exist`, { field: 'id' })

/** The same call with an id again answers the same pack. */
export async function createPack(
  context: Context,
  creatorFid: number,
  body: NewStarterPack,
): Promise<StarterPack> {
  STARTER_PACK_JSON.check('create', body)
  const { id = newIdOf(context, body.name), memberFids = [] } = body
  const pack = {
    ...STARTER_PACK_JSON.defaults,
    name: body.name,
    ...STARTER_PACK_JSON.valuesOf('create', body),
    id,
    creator_fid: creatorFid,
    created_at: context.now(),
  }
  return context.storage.write(`fid/${creatorFid}`, async (tx) => {
    const known = await tx.of(starterPackRows).byId(id)
    if (known && isRepeat(known, pack)) return known
    if (known) {
      throw new Rejection('bad_request.conflict', `Starter pack ${id} exists already`, {
        field: 'id',
      })
    }
    if ((await tx.of(starterPackRows).countOf(creatorFid)) >= MAX_PACKS_PER_FID) {
      const text = `FID ${creatorFid} has ${MAX_PACKS_PER_FID} starter packs; one has to go first`
      throw new Rejection('unauthorized', text)
    }
    await tx.of(starterPackRows).put([pack])
    await addMembers(context, tx, id, memberFids, 'memberFids')
    return getPack(tx, id)
  })
}

const isRepeat = (known: StarterPack, asked: Omit<StarterPack, 'member_count'>): boolean =>
  (['name', 'description', 'image_url', 'creator_fid'] as const).every(
    (column) => known[column] === asked[column],
  )

export const editPack = (context: Context, fid: number, body: StarterPackEdit) => {
  STARTER_PACK_JSON.check('edit', body)
  return onOwnPack(context, fid, body.id, async (tx, { member_count: _, ...pack }) => {
    await tx.of(starterPackRows).put([{ ...pack, ...STARTER_PACK_JSON.valuesOf('edit', body) }])
  })
}

export const deletePack = ({ storage }: Context, fid: number, id: string) =>
  storage.write(`fid/${fid}`, async (tx) => {
    await getOwnPack(tx, fid, id)
    await tx.of(starterPackRows).remove(id)
  })

/** Adds members. Those that are members already keep their time. */
export const addToPack = (context: Context, fid: number, id: string, fids: readonly number[]) =>
  onOwnPack(context, fid, id, (tx) => addMembers(context, tx, id, fids, 'fids'))

export const removeFromPack = (
  context: Context,
  fid: number,
  id: string,
  fids: readonly number[],
) =>
  onOwnPack(context, fid, id, (tx) => tx.of(starterPackRows).removeMembers(id, [...new Set(fids)]))

/** Runs `work` under the lock of the creator's packs, and resolves to the pack after it. */
const onOwnPack = (
  { storage }: Context,
  fid: number,
  id: string,
  work: (tx: Writer, pack: StarterPack) => Promise<void>,
): Promise<StarterPack> =>
  storage.write(`fid/${fid}`, async (tx) => {
    await work(tx, await getOwnPack(tx, fid, id))
    return getPack(tx, id)
  })

async function getOwnPack(tx: Writer, fid: number, id: string): Promise<StarterPack> {
  const pack = await getPack(tx, id)
  if (pack.creator_fid === fid) return pack
  throw new Rejection('unauthorized', `FID ${fid} did not create starter pack ${id}`)
}

async function addMembers(
  { clock }: Context,
  tx: Writer,
  id: string,
  given: readonly number[],
  field: string,
): Promise<void> {
  const fids = [...new Set(given)]
  const custodies = await tx.accounts.custodies(fids)
  const registered = new Set(custodies.map((custody) => custody.fid))
  const unknown = fids.find((fid) => !registered.has(fid))
  if (unknown !== undefined) throw unknownFid(unknown, field)
  const member_at = clock.now()
  await tx.of(starterPackRows).addMembers(fids.map((fid) => ({ pack_id: id, fid, member_at })))
  await checkSize(tx, id, field)
}

export async function checkSize(tx: Writer, id: string, field: string): Promise<void> {
  if ((await getPack(tx, id)).member_count <= MAX_MEMBERS_PER_PACK) return
  const text = `starter pack ${id} would have more than ${MAX_MEMBERS_PER_PACK} members`
  throw new Rejection('bad_request.validation_failure', text, { field })
}

const RANDOM_BYTES = 5

/** The name in lower case, as far as it can be in an id, and random letters, as ids of the deployed platform have. */
function newIdOf({ randomBytes }: Context, name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^0-9a-z]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const random = base32nopad.encode(randomBytes(RANDOM_BYTES)).toLowerCase()
  return `${slug.slice(0, 48)}-${random}`.replace(/^-/, '')
}
