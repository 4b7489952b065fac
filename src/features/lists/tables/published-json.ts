import { tableJson } from '../../../kernel/storage/tables/table-json.ts'
import { PEOPLE_LISTS } from './lists.ts'

/** The JSON of lists. It stands apart from the table because threads that only read and write rows should not load the schema library. */
export const LIST_JSON = tableJson(PEOPLE_LISTS)
