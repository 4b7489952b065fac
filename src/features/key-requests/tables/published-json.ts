import { tableJson } from '../../../kernel/storage/tables/table-json.ts'
import { SPONSOR_CREDITS, SPONSOR_ENTRIES } from './key-requests.ts'

// The JSON of these tables. It stands apart from them because threads that only read and write rows should not load the schema library.

export const CREDIT_JSON = tableJson(SPONSOR_CREDITS)
export const CREDIT_ENTRY_JSON = tableJson(SPONSOR_ENTRIES)
