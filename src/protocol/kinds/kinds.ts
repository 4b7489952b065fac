// The table of message kinds. To add a message type: the wire schema, one file here, one entry in KINDS.

import type { MessageType } from '../wire/message_pb.js'
import { castAddKind } from './cast-add.ts'
import { castRemoveKind } from './cast-remove.ts'
import { frameActionKind } from './frame-action.ts'
import type { BodyCase, MessageKind, MessageSet } from './kind.ts'
import { linkAddKind, linkRemoveKind } from './link.ts'
import { linkCompactStateKind } from './link-compact-state.ts'
import { reactionAddKind, reactionRemoveKind } from './reaction.ts'
import { userDataAddKind } from './user-data.ts'
import { usernameProofKind } from './username-proof.ts'
import { verificationAddKind, verificationRemoveKind } from './verification.ts'

/** Every message type that this hub understands. */
export const KINDS: readonly MessageKind[] = [
  castAddKind,
  castRemoveKind,
  reactionAddKind,
  reactionRemoveKind,
  linkAddKind,
  linkRemoveKind,
  linkCompactStateKind,
  verificationAddKind,
  verificationRemoveKind,
  userDataAddKind,
  usernameProofKind,
  frameActionKind,
]

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
