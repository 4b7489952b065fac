import { BLOCKS } from '../../../kernel/storage/tables/blocks.ts'
import { tableJson } from '../../../kernel/storage/tables/table-json.ts'

// The JSON of these tables. It stands apart from them because threads that only read and write rows should not load the schema library.

export const BLOCK_JSON = tableJson(BLOCKS)
