// The table of message kinds. To add a message type: the wire schema, one file here, one entry in the table.

import { MessageType } from '../wire/message_pb.js'
import { castAddKind } from './cast-add.ts'
import { castRemoveKind } from './cast-remove.ts'
import { frameActionKind } from './frame-action.ts'
import { keyAddKind, keyRemoveKind } from './gasless-key.ts'
import type { BodyCase, MessageKind, MessageSet, SetName } from './kind.ts'
import { lendStorageKind } from './lend-storage.ts'
import { linkAddKind, linkRemoveKind } from './link.ts'
import { linkCompactStateKind } from './link-compact-state.ts'
import { reactionAddKind, reactionRemoveKind } from './reaction.ts'
import { userDataAddKind } from './user-data.ts'
import { usernameProofKind } from './username-proof.ts'
import { verificationAddKind, verificationRemoveKind } from './verification.ts'

/** Message types of other hubs that this one does not support. */
export const UNSUPPORTED_TYPES = [
  MessageType.CHANNEL_UPDATE,
  MessageType.CHANNEL_MEMBER,
  MessageType.CHANNEL_PIN,
  MessageType.CHANNEL_MODERATE,
] as const

type KindType = Exclude<MessageType, MessageType.NONE | (typeof UNSUPPORTED_TYPES)[number]>

const KIND_OF_TYPE: Readonly<Record<KindType, MessageKind>> = {
  [MessageType.CAST_ADD]: castAddKind,
  [MessageType.CAST_REMOVE]: castRemoveKind,
  [MessageType.REACTION_ADD]: reactionAddKind,
  [MessageType.REACTION_REMOVE]: reactionRemoveKind,
  [MessageType.LINK_ADD]: linkAddKind,
  [MessageType.LINK_REMOVE]: linkRemoveKind,
  [MessageType.LINK_COMPACT_STATE]: linkCompactStateKind,
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: verificationAddKind,
  [MessageType.VERIFICATION_REMOVE]: verificationRemoveKind,
  [MessageType.USER_DATA_ADD]: userDataAddKind,
  [MessageType.USERNAME_PROOF]: usernameProofKind,
  [MessageType.FRAME_ACTION]: frameActionKind,
  [MessageType.LEND_STORAGE]: lendStorageKind,
  [MessageType.KEY_ADD]: keyAddKind,
  [MessageType.KEY_REMOVE]: keyRemoveKind,
}

/** Every message type that this hub understands. */
export const KINDS: readonly MessageKind[] = Object.values(KIND_OF_TYPE)

const byType: (MessageKind | undefined)[] = []
const byBody = new Map<BodyCase, MessageKind>()
for (const kind of KINDS) {
  byType[kind.type] = kind
  byBody.set(kind.body, byBody.get(kind.body) ?? kind)
}

/** The kind of a message type; undefined for types that this hub does not know. */
export function kindOf(type: MessageType): MessageKind | undefined {
  return byType[type]
}

/** A kind with this body; adds and removes that share a body also share its rules and its JSON. */
export function kindOfBody(body: BodyCase): MessageKind | undefined {
  return byBody.get(body)
}

/** All sets that messages are stored in. */
export const ALL_MESSAGE_SETS: readonly MessageSet[] = [
  ...new Set(KINDS.flatMap(({ set }) => set ?? [])),
].sort((a, b) => a.number - b.number)

/** The numbers of the message sets, by name: the wire's StoreType, and 8 for compact states. */
export const MESSAGE_SETS = Object.fromEntries(
  ALL_MESSAGE_SETS.map(({ key, number }) => [key, number]),
) as Readonly<Record<SetName, number>>
