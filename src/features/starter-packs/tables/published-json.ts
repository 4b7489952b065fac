import { tableJson } from '../../../kernel/storage/tables/table-json.ts'
import { STARTER_PACK_MEMBERS, STARTER_PACKS } from './starter-packs.ts'

// The JSON of these tables. It stands apart from them because threads that only read and write rows should not load the schema library.

export const STARTER_PACK_JSON = tableJson(STARTER_PACKS)
export const STARTER_PACK_MEMBER_JSON = tableJson(STARTER_PACK_MEMBERS)
