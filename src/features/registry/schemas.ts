import Type, { type TSchema } from 'typebox'
import { errorSchema } from '../../kernel/http/documents/openapi.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'

const TransferReply = Type.Object(
  {
    id: Type.Integer({ description: 'Grows with every transfer; the place to go on from.' }),
    timestamp: Type.Integer({ description: 'Unix seconds, as signed.' }),
    username: Type.String(),
    owner: Type.String({ description: 'The custody address that asked, lower-case.' }),
    from: Type.Integer({ description: 'The fid that gave the name away; 0: it was registered.' }),
    to: Type.Integer({ description: 'The fid that received it; 0: it was released.' }),
    user_signature: Type.String(),
    server_signature: Type.String({ description: "The registry's, over the same claim." }),
  },
  { $id: 'Transfer' },
)

export const TransfersReply = Type.Object({ transfers: Type.Array(TransferReply) })
export const CreatedReply = Type.Object({ transfer: TransferReply })
/** The body of a 404: the error, and an empty list for clients that expect one. */
export const NothingHeldReply = Type.Intersect([
  errorSchema('registry') as TSchema,
  Type.Object({ transfers: Type.Array(TransferReply, { maxItems: 0 }) }),
])
export const CurrentReply = Type.Object({
  transfers: Type.Array(TransferReply, { description: 'The same transfer, as a list.' }),
  transfer: TransferReply,
})
const seconds = (description: string) =>
  Type.Integer({ description: `${description} Unix seconds.` })
export const AvailabilityReply = Type.Object({
  name: Type.String(),
  status: Type.Union(
    [Type.Literal('free'), Type.Literal('taken'), Type.Literal('reserved'), Type.Literal('locked')],
    { description: 'locked: it was released a short time ago.' },
  ),
  fid: Type.Optional(Type.Integer({ description: 'The holder.' })),
  availableAt: Type.Optional(seconds('From when it may be registered.')),
  undoUntil: Type.Optional(seconds('Until when its holder may release it without waiting.')),
  changeableAt: Type.Optional(seconds('From when its holder may transfer or release it.')),
  changeSeconds: Type.Integer({ description: 'How long a name is locked after a change.' }),
  undoSeconds: Type.Integer({ description: 'How long after its first name a fid may change it.' }),
})
export const ProposalsReply = Type.Object({ names: Type.Array(Type.String()) })
export const SignerReply = Type.Object({
  signer: Type.String({ description: 'Address of the key that signs transfers.' }),
})
const PrimaryTypes = Type.Array(Type.String())
export const DomainsReply = Type.Object({
  structs: Type.Record(
    Type.String(),
    Type.Object({
      domain: Type.Object({
        name: Type.String(),
        version: Type.String(),
        chainId: Type.Integer(),
        verifyingContract: Type.String(),
      }),
      types: Type.Record(
        Type.String(),
        Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
      ),
    }),
    { description: 'By primary type: what to give a wallet besides the message.' },
  ),
  accepted: Type.Object(
    { register: PrimaryTypes, move: PrimaryTypes, release: PrimaryTypes },
    { description: 'The primary types that a change of a name may be signed as.' },
  ),
})
export const TimeReply = Type.Object({
  currentTime: Type.Integer({ description: 'Unix seconds.' }),
})
export const HealthReply = Type.Object({ status: Type.Literal('ok') })
export const LookupReply = Type.Object({
  data: Type.String({
    description: 'Encoded (string name, uint256 timestamp, address owner, bytes signature).',
  }),
})

export const TransferRequest = Type.Object({
  name: Type.String({ description: '1 to 16 characters of a-z, 0-9 and -, the first not -.' }),
  from: Type.Integer({ minimum: 0, description: 'Who gives the name away; 0 registers it.' }),
  to: Type.Integer({ minimum: 0, description: 'Who receives it; 0 releases it.' }),
  fid: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Who asks: `to` of a registration, else `from`.' }),
  ),
  owner: Type.String({ description: "The asking fid's custody address." }),
  timestamp: Type.Integer({
    description: 'Unix seconds, near the present; digits in a text count too.',
  }),
  signature: Type.String({
    description:
      "The owner's EIP-712 signature of UserNameProof(name, timestamp, owner) or of " +
      'NameTransfer(name, from, to, timestamp); /domains shows which are accepted for what.',
  }),
})

/** Resolver contracts may write hex in either case. */
export const SENDER_PATTERN = '^0[xX][0-9a-fA-F]{40}$'
export const DATA_PATTERN = '^0[xX](?:[0-9a-fA-F]{2})*$'

export const LookupRequest = Type.Object({
  sender: Type.String({ pattern: SENDER_PATTERN, description: 'The address of the resolver.' }),
  data: Type.String({ pattern: DATA_PATTERN, description: 'The call that the contract got.' }),
})

/** A transfer as published, with its keys in the deployed order. */
export const transferJson = (row: StoredTransfer) => ({
  id: row.id,
  timestamp: row.timestamp,
  username: row.username,
  owner: toHex(row.owner),
  from: row.from_fid,
  to: row.to_fid,
  user_signature: toHex(row.user_signature),
  server_signature: toHex(row.server_signature),
})
