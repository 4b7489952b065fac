import { tableJson } from '../../../kernel/storage/tables/table-json.ts'
import {
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  CHANNELS,
} from './channels.ts'

// The JSON of these tables. It stands apart from them because threads that only read and write rows should not load the schema library.

export const CHANNEL_JSON = tableJson(CHANNELS)
export const FOLLOW_JSON = tableJson(CHANNEL_FOLLOWS)
export const MEMBERSHIP_JSON = tableJson(CHANNEL_MEMBERSHIPS)
export const INVITE_JSON = tableJson(CHANNEL_INVITES)
export const MODERATION_JSON = tableJson(CHANNEL_MODERATIONS)
