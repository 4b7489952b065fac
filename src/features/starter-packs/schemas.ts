import Type, { type Static } from 'typebox'
import { Fid } from '../../kernel/platform/schemas.ts'
import { MAX_BATCH_RECORDS, MAX_FIDS_PER_CALL } from './limits.ts'
import { STARTER_PACK_JSON, STARTER_PACK_MEMBER_JSON } from './tables/published-json.ts'
import { STARTER_PACK_ID, STARTER_PACKS, type StarterPackMember } from './tables/starter-packs.ts'

export const StarterPackReply = STARTER_PACK_JSON.schema({ $id: 'StarterPack' })
export const packJson = STARTER_PACK_JSON.of
export const StarterPackMemberReply = Type.Object({
  fid: Type.Integer(),
  memberAt: Type.Integer({ description: 'Unix milliseconds.' }),
})
export const packMemberJson = ({ fid, member_at }: StarterPackMember) => ({
  fid,
  memberAt: member_at,
})

// Request bodies. Unknown properties are ignored.

const PackId = Type.String({ pattern: STARTER_PACK_ID.source })
const Fids = Type.Array(Fid, { minItems: 1, maxItems: MAX_FIDS_PER_CALL })

const { min, max } = STARTER_PACKS.fields.name
export const NewStarterPack = Type.Object({
  id: Type.Optional(PackId),
  ...STARTER_PACK_JSON.inputs('create'),
  name: Type.String({ minLength: min, maxLength: max }),
  memberFids: Type.Optional(Type.Array(Fid, { maxItems: MAX_FIDS_PER_CALL })),
})
export type NewStarterPack = Static<typeof NewStarterPack>
export const StarterPackEdit = Type.Object({ id: PackId, ...STARTER_PACK_JSON.inputs('edit') })
export type StarterPackEdit = Static<typeof StarterPackEdit>
export const WhichStarterPack = Type.Object({ id: PackId })
export const StarterPackFids = Type.Object({ id: PackId, fids: Fids })

/** One record of an export or an import. It has exactly one of the properties. */
export const StarterPackRecord = Type.Object({
  starterPack: Type.Optional(STARTER_PACK_JSON.recordSchema),
  starterPackMember: Type.Optional(STARTER_PACK_MEMBER_JSON.recordSchema),
})
export type StarterPackRecord = Static<typeof StarterPackRecord>
export const StarterPackBatch = Type.Object({
  lines: Type.Array(StarterPackRecord, { minItems: 1, maxItems: MAX_BATCH_RECORDS }),
})
