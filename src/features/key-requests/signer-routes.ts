import Type from 'typebox'
import { encodeCursor } from '../../kernel/http/input/paging.ts'
import { hexParam, optional } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, fid, limit } from '../../kernel/platform/params.ts'
import { Fid, Result, UnixSeconds } from '../../kernel/platform/schemas.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { KEY_BYTES } from '../../kernel/protocol/sizes.ts'
import { Digits, HexText, Signature } from './bodies.ts'
import { readHex, readSignature } from './create.ts'
import type { Needs } from './needs.ts'
import { Person } from './people.ts'
import { answer } from './request-json.ts'
import {
  getAccount,
  type KeyPosition,
  listSigners,
  removalTypedData,
  removeSigner,
} from './signers.ts'
import { TransactionJson, TypedDataJson, transactionJson, typedDataJson } from './wallet-json.ts'

const TAGS = [
  { name: 'Connected apps', description: 'The keys of a user, and how one is removed.' },
]

const SignersReply = Type.Object({
  result: Type.Object({
    user: Type.Intersect([Person, Type.Object({ custodyAddress: Type.String() })]),
    signers: Type.Array(
      Type.Object({
        key: Type.String(),
        addedAt: UnixSeconds,
        app: Type.Optional(Person),
        gasless: Type.Optional(
          Type.Object(
            { scopes: Type.Array(Type.String()), expiresAt: UnixSeconds },
            { description: 'Of a key that a message added: the types that it signs, and its end.' },
          ),
        ),
      }),
    ),
  }),
  next: Type.Optional(Type.Object({ cursor: Type.String() })),
})

const keyParam = hexParam({ bytes: KEY_BYTES, label: 'key' })

const signers = route('GET /v2/signers', {
  callers: 'anyone',
  summary: 'The active keys of a user',
  description:
    'With the apps that asked for them. Name the user by `fid` or by the `address` that holds it.',
  tags: TAGS,
  query: {
    fid: optional(fid),
    address: optional(hexParam({ bytes: 20, label: 'address' })),
    limit: limit({ default: 100, max: 1_000 }),
    cursor: cursor('s'),
  },
  reply: SignersReply,
  errors: ['not_found'],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) => {
    const account = await getAccount(context, query)
    const after = readPosition(query.cursor && String(query.cursor[0]))
    const page = { size: query.limit, after }
    const { user, signers, next } = await listSigners(context, account.fid, page)
    const result = {
      user: { ...user, custodyAddress: toHex(account.address) },
      signers,
    }
    return next ? { result, next: { cursor: encodeCursor([positionText(next)]) } } : { result }
  },
})

/** Before the key at which a page of gasless keys ends. */
const GASLESS = 'gasless:'

const positionText = ({ isGasless, key }: KeyPosition) =>
  (isGasless ? GASLESS : '') + (key ? toHex(key) : '')

function readPosition(text = ''): KeyPosition {
  const isGasless = text.startsWith(GASLESS)
  const key = isGasless ? text.slice(GASLESS.length) : text
  return { isGasless, key: key === '' ? undefined : readHex(key, 'cursor') }
}

const removalToSign = route('GET /v2/signer-removal', {
  callers: 'anyone',
  summary: 'The typed data that a user signs to remove a key',
  description:
    'The KeyRegistry Remove, to be signed by the custody address within ten minutes; KeyRemove for a gasless key.',
  tags: TAGS,
  query: { fid, key: keyParam },
  reply: Result(Type.Object({ typedData: TypedDataJson })),
  errors: ['not_found'],
  cost: 'lookup',
  handler: async ({ context }: Needs, { query }) => {
    const typedData = await removalTypedData(context, query.fid, query.key)
    return answer({ result: { typedData: typedDataJson(typedData) } })
  },
})

const remove = route('DELETE /v2/signers', {
  callers: 'anyone',
  summary: "Remove a key with the user's signature",
  description:
    'A key that was removed can never be added to the same account again, unless it is a gasless key. Whoever has ' +
    'a gasless key can also remove it without its user: by a KEY_REMOVE that the key signs, sent to the hub.',
  tags: TAGS,
  body: json(
    Type.Object({
      fid: Fid,
      key: HexText(KEY_BYTES, 'The key, in 0x hex.'),
      deadline: Digits('That of the signature, in Unix seconds.'),
      signature: Signature,
    }),
  ),
  reply: Result(
    Type.Object({
      success: Type.Literal(true),
      transaction: Type.Optional(TransactionJson),
    }),
  ),
  errors: [
    'not_found',
    'bad_request.validation_failure',
    'bad_request.conflict',
    'InvalidSignature',
    'SignatureExpired',
    'InvalidState',
    'unavailable',
  ],
  cost: 'write',
  handler: async ({ context }: Needs, { body }) => {
    const transaction = await removeSigner(context, {
      fid: body.fid,
      key: fromHex(body.key) ?? new Uint8Array(),
      deadline: Number(body.deadline),
      signature: readSignature(body.signature, 'signature'),
    })
    const success = true as const
    return {
      result: { success, ...(transaction && { transaction: transactionJson(transaction) }) },
    }
  },
})

/** Lists the keys of a user and removes one. */
export const signerRoutes: readonly Route<Needs>[] = [signers, removalToSign, remove]
