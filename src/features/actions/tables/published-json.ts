import { tableJson } from '../../../kernel/storage/tables/table-json.ts'
import { ACTIONS } from './actions.ts'

// The JSON of these tables. It stands apart from them because threads that only read and write rows should not load the schema library.

export const ACTION_JSON = tableJson(ACTIONS)
export const OPERATOR_ACTION_JSON = tableJson(ACTIONS, { for: 'operator' })
