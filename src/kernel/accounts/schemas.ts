import Type, { type Static, type TSchema } from 'typebox'
import { json } from '../http/route.ts'
import { fromHex } from '../protocol/codec/bytes.ts'
import { onChainEventSchema } from '../protocol/json/entity-schemas.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_UINT32 } from '../protocol/sizes.ts'
import { MAX_IMPORT_EVENTS } from './import.ts'
import type { AddFor, NewKey, Register, RegisterFor, TransferFor } from './port.ts'
import { MAX_KEYS_PER_CALL } from './settings.ts'
import type { SigningNetwork } from './signatures/signing-network.ts'

// The JSON of the accounts interface, and how request bodies become calls of the port.

/** Signatures of contract wallets are longer than the 65 bytes of plain accounts. */
const MAX_SIGNATURE_BYTES = 1_024
const MAX_METADATA_BYTES = 4_096
const MAX_KEY_BYTES = 64

const hex = (bytes: number, description: string) =>
  Type.String({ pattern: `^0x[0-9a-fA-F]{${2 * bytes}}$`, description })
const hexUpTo = (bytes: number, description: string) =>
  Type.String({ pattern: `^0x([0-9a-fA-F]{2}){0,${bytes}}$`, description })

const address = (description: string) => hex(20, description)
const signature = (description: string) => hexUpTo(MAX_SIGNATURE_BYTES, description)
const key = hexUpTo(MAX_KEY_BYTES, 'The public key; 32 bytes for Ed25519.')
const uint32 = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_UINT32, description })
const fid = Type.Integer({ minimum: 1, maximum: MAX_UINT32, description: 'A user.' })

/** JSON numbers lose precision beyond 2^53, so digit strings are accepted too. */
const deadline = Type.Union(
  [
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: '^[0-9]{1,78}$' }),
  ],
  { description: 'Unix seconds, as a number or in digits; that very second is still in time.' },
)

const closed = { additionalProperties: false }

const REGISTER_FIELDS = {
  to: address('Who registers: the custody address of the new fid.'),
  recovery: address('May move the fid to another address. Zeros: none.'),
  deadline,
  signature: signature('By `to`, over Register under the IdGateway domain.'),
  extraStorage: Type.Optional(uint32('Units beyond those that come with a fid. 0 unless given.')),
  invite: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Code of an invite, where signup is `invite` or `approval`.',
    }),
  ),
}

const KEY_FIELDS = {
  keyType: uint32('1: an Ed25519 key that signs messages. 2: an auth address, which signs in.'),
  key,
  metadataType: Type.Integer({ minimum: 0, maximum: 255, description: '1: signed key request.' }),
  metadata: hexUpTo(MAX_METADATA_BYTES, 'The ABI encoding of the signed key request as one tuple.'),
  deadline,
  signature: signature('By the owner, over Add under the KeyGateway domain.'),
}

const TRANSFER_FIELDS = {
  from: address('Holds the fid.'),
  to: address('Gets the fid; must hold none.'),
  fromDeadline: deadline,
  fromSignature: signature('By `from`, under the IdRegistry domain, with its own nonce.'),
  toDeadline: deadline,
  toSignature: signature('By `to`, under the IdRegistry domain, with its own nonce.'),
}

const ENCODED_EVENT = Type.String({
  description: 'An encoded OnChainEvent, in 0x hex or base64.',
})

export const BODIES = {
  registerFor: Type.Object(REGISTER_FIELDS, closed),
  transferFor: Type.Object(TRANSFER_FIELDS, closed),
  transferAndChangeRecoveryFor: Type.Object(
    { ...TRANSFER_FIELDS, recovery: address('The new recovery address.') },
    closed,
  ),
  changeRecoveryAddressFor: Type.Object(
    {
      owner: address('Holds the fid.'),
      recovery: address('The new recovery address. Zeros: none.'),
      deadline,
      signature: signature('By `owner`, over ChangeRecoveryAddress under the IdRegistry domain.'),
    },
    closed,
  ),
  recoverFor: Type.Object(
    {
      from: address('Holds the fid.'),
      to: address('Gets the fid; must hold none.'),
      recoveryDeadline: deadline,
      recoverySignature: signature('By the recovery address of the fid, over Transfer.'),
      toDeadline: deadline,
      toSignature: signature('By `to`, over Transfer, with its own nonce.'),
    },
    closed,
  ),
  addFor: Type.Object({ owner: address('Holds the fid.'), ...KEY_FIELDS }, closed),
  removeFor: Type.Object(
    {
      owner: address('Holds the fid.'),
      key,
      deadline,
      signature: signature('By `owner`, over Remove under the KeyRegistry domain.'),
    },
    closed,
  ),
  rent: Type.Object({ fid, units: uint32('At least 1.') }, closed),
  register: Type.Object(
    {
      ...REGISTER_FIELDS,
      keys: Type.Array(Type.Object(KEY_FIELDS, closed), {
        description: `At most ${MAX_KEYS_PER_CALL}. Signed with consecutive KeyGateway nonces.`,
      }),
    },
    closed,
  ),
  import: Type.Object(
    {
      events: Type.Array(
        Type.Union([
          ENCODED_EVENT,
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'An on-chain event as hubs serve it.',
          }),
        ]),
        { maxItems: MAX_IMPORT_EVENTS },
      ),
    },
    closed,
  ),
} as const satisfies Record<string, TSchema>

type Body<Name extends keyof typeof BODIES> = Static<(typeof BODIES)[Name]>

export const registerForOf = (body: Body<'registerFor'>): RegisterFor => ({
  to: bytes(body.to),
  recovery: bytes(body.recovery),
  extraStorage: body.extraStorage ?? 0,
  invite: body.invite,
  ...signedOf(body),
})

export const registerOf = (body: Body<'register'>): Register => ({
  ...registerForOf(body),
  keys: body.keys.map((added, i) => newKeyOf(added, `keys.${i}.`)),
})

export const transferForOf = (body: Body<'transferFor'>): TransferFor => ({
  from: bytes(body.from),
  fromDeadline: uint256(body.fromDeadline, 'fromDeadline'),
  fromSignature: bytes(body.fromSignature),
  ...receiverOf(body),
})

export const transferAndChangeRecoveryForOf = (body: Body<'transferAndChangeRecoveryFor'>) => ({
  ...transferForOf(body),
  recovery: bytes(body.recovery),
})

export const changeRecoveryAddressForOf = (body: Body<'changeRecoveryAddressFor'>) => ({
  owner: bytes(body.owner),
  recovery: bytes(body.recovery),
  ...signedOf(body),
})

export const recoverForOf = (body: Body<'recoverFor'>) => ({
  from: bytes(body.from),
  recoveryDeadline: uint256(body.recoveryDeadline, 'recoveryDeadline'),
  recoverySignature: bytes(body.recoverySignature),
  ...receiverOf(body),
})

export const addForOf = (body: Body<'addFor'>): AddFor => ({
  owner: bytes(body.owner),
  ...newKeyOf(body),
})

export const removeForOf = (body: Body<'removeFor'>) => ({
  owner: bytes(body.owner),
  key: bytes(body.key),
  ...signedOf(body),
})

const newKeyOf = (body: Body<'register'>['keys'][number], path = ''): NewKey => ({
  keyType: body.keyType,
  key: bytes(body.key),
  metadataType: body.metadataType,
  metadata: bytes(body.metadata),
  ...signedOf(body, path),
})

const receiverOf = (body: Pick<Body<'recoverFor'>, 'to' | 'toDeadline' | 'toSignature'>) => ({
  to: bytes(body.to),
  toDeadline: uint256(body.toDeadline, 'toDeadline'),
  toSignature: bytes(body.toSignature),
})

const signedOf = (body: Pick<Body<'removeFor'>, 'deadline' | 'signature'>, path = '') => ({
  deadline: uint256(body.deadline, `${path}deadline`),
  signature: bytes(body.signature),
})

/** The schema has checked that it is hex. */
const bytes = (text: string): Uint8Array => fromHex(text)!

function uint256(value: number | string, field: string): bigint {
  const number = BigInt(value)
  if (number < 2n ** 256n) return number
  const message = `${field} must be below 2^256`
  throw new Rejection('bad_request.validation_failure', message, { field })
}

const addressText = Type.String({ description: '0x and 40 lowercase hex digits.' })

const OnChainEventReply = Type.Unsafe<object>(onChainEventSchema)

/** The body of an import. The event reader checks each event and names what is wrong with it. */
export const ImportBody = json(BODIES.import, {
  documented: Type.Object({
    events: Type.Array(Type.Union([ENCODED_EVENT, OnChainEventReply]), {
      maxItems: MAX_IMPORT_EVENTS,
    }),
  }),
})

export const CallReply = Type.Object(
  {
    fid: Type.Integer({
      description: 'The fid that the call changed; a new fid for a registration.',
    }),
    transactionHash: Type.String(),
    blockNumber: Type.Integer(),
    confirmed: Type.Boolean({ description: 'Whether reads and the hub know it already.' }),
    confirmsAt: Type.Integer({ description: 'Unix milliseconds from which they do.' }),
    events: Type.Array(OnChainEventReply),
  },
  { $id: 'CallResult' },
)

export const AccountReply = Type.Object(
  {
    fid,
    custodyAddress: addressText,
    recoveryAddress: Type.String({ description: 'All zeros when there is none.' }),
    units: Type.Object(
      { legacy: Type.Integer(), u2024: Type.Integer(), u2025: Type.Integer() },
      { description: 'Storage units that count now, by when they were rented.' },
    ),
  },
  { $id: 'Account' },
)

export const KeysReply = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        key: Type.String(),
        requestFid: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The app that asked for the key; null when that cannot be told.',
        }),
        event: OnChainEventReply,
      }),
    ),
    nextPageToken: Type.String({ description: 'Empty at the end.' }),
  },
  { $id: 'Keys' },
)

export const IdOfReply = Type.Object(
  {
    address: addressText,
    fid: Type.Integer({ description: '0: none.' }),
  },
  { $id: 'IdOf' },
)

export const NonceReply = Type.Object(
  {
    contract: Type.String(),
    address: addressText,
    nonce: Type.Integer({ description: 'What the next signature must carry.' }),
  },
  { $id: 'Nonce' },
)

const Domain = Type.Object({
  name: Type.String(),
  version: Type.String(),
  chainId: Type.Integer(),
  verifyingContract: Type.Optional(Type.String()),
})
export const DomainsReply = Type.Object(
  {
    chainId: Type.Integer(),
    structs: Type.Record(
      Type.String(),
      Type.Object({
        contract: Type.Optional(Type.String({ description: 'Whose nonces count; see /v1/nonce.' })),
        domain: Domain,
        acceptedDomains: Type.Array(Domain, {
          description: 'All domains that a signature may be made for.',
        }),
        types: Type.Record(
          Type.String(),
          Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
        ),
      }),
      { description: 'By primary type: what to give a wallet besides the message.' },
    ),
  },
  { $id: 'Domains' },
)

export const SigningNetworkReply = Type.Object({
  source: Type.Union([Type.Literal('ledger'), Type.Literal('chain')], {
    description: 'ledger: accounts live on this server; chain: on the chain with this id.',
  }),
  chainId: Type.Integer({
    description:
      'What users sign for. The contracts tell a ledger from other networks with this id.',
  }),
  contracts: Type.Record(Type.String(), Type.String(), {
    description: 'The verifying contract of each EIP-712 domain, by the name of the contract.',
  }),
})

export const signingNetworkJson = ({ source, chainId, contracts }: SigningNetwork) => ({
  source,
  chainId,
  contracts: { ...contracts },
})

export const InfoReply = Type.Object(
  {
    version: Type.String(),
    network: Type.String({ description: 'Network of the messages: mainnet, testnet or devnet.' }),
    accounts: SigningNetworkReply,
    signup: Type.Optional(
      Type.Enum(['open', 'invite', 'approval', 'closed'], {
        description:
          'Who may register here: anyone, holders of an invite, those and people who were let in (`POST /v1/join-requests`), or no one. Only a ledger has it.',
      }),
    ),
  },
  { $id: 'AccountsInfo' },
)

export const PriceReply = Type.Object(
  {
    price: Type.String({ description: 'Of any call, in wei.' }),
    signupUnits: Type.Integer({ description: 'Storage units that come with a fid.' }),
    maxUnitsPerFid: Type.Integer(),
    maxKeysPerFid: Type.Integer(),
    confirmationMs: Type.Integer({ description: 'How long a call waits for its confirmation.' }),
  },
  { $id: 'Price' },
)

export const ImportReply = Type.Object(
  {
    merged: Type.Integer(),
    duplicates: Type.Integer({ description: 'Events that were known already.' }),
  },
  { $id: 'Imported' },
)
