import { ACTIONS } from '../../../features/actions/tables/actions.ts'
import { BLOCKS } from './blocks.ts'
import {
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  CHANNELS,
} from '../../../features/channels/tables/channels.ts'
import { SPONSOR_CREDITS, SPONSOR_ENTRIES } from '../../../features/key-requests/tables/key-requests.ts'
import { STARTER_PACK_MEMBERS, STARTER_PACKS } from '../../../features/starter-packs/tables/starter-packs.ts'
import { tableJson } from './table-json.ts'

// The JSON of the tables that interfaces publish. It stands apart from the tables because threads that only
// read and write rows should not load the schema library.

export const ACTION_JSON = tableJson(ACTIONS)
export const OPERATOR_ACTION_JSON = tableJson(ACTIONS, { for: 'operator' })
export const CHANNEL_JSON = tableJson(CHANNELS)
export const FOLLOW_JSON = tableJson(CHANNEL_FOLLOWS)
export const MEMBERSHIP_JSON = tableJson(CHANNEL_MEMBERSHIPS)
export const INVITE_JSON = tableJson(CHANNEL_INVITES)
export const MODERATION_JSON = tableJson(CHANNEL_MODERATIONS)
export const CREDIT_JSON = tableJson(SPONSOR_CREDITS)
export const CREDIT_ENTRY_JSON = tableJson(SPONSOR_ENTRIES)
export const STARTER_PACK_JSON = tableJson(STARTER_PACKS)
export const STARTER_PACK_MEMBER_JSON = tableJson(STARTER_PACK_MEMBERS)
export const BLOCK_JSON = tableJson(BLOCKS)
