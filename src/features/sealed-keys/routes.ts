import Type from 'typebox'
import { OWNER_FIELDS } from '../../kernel/accounts/owner-request.ts'
import { described, fidParam } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'

import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  keepCopy,
  listCopies,
  newChallenge,
  openByPasskey,
  openByPassword,
  removeCopy,
  type SealedKeyTerms,
  saltOf,
} from './sealed-keys.ts'
import type { StoredSealedKey } from './tables/sealed-keys.ts'

const SALT_BYTES = 32
/** The words take 128 bytes, and what seals them 28. */
const MAX_SEALED_BYTES = 256
const MAX_PROOF_BYTES = 1_024
/** An id of a credential has at most 1,023 bytes. */
const MAX_CREDENTIAL_CHARACTERS = 1_364
const MAX_ID_CHARACTERS = 1_400
const MAX_CLIENT_DATA_BYTES = 2_048
const MAX_AUTHENTICATOR_BYTES = 1_024
const MAX_SIGNATURE_BYTES = 1_024
const MAX_HOST_CHARACTERS = 253

const TAGS = [
  {
    name: 'Sealed keys',
    description:
      'Copies of custody keys that browsers made, sealed there with a password or a passkey: how the web client signs in ' +
      'on another device. The server cannot open them.',
  },
]

const bytes = (least: number, most: number, description: string) =>
  Type.String({ pattern: `^0x([0-9a-fA-F]{2}){${least},${most}}$`, description })
const credential = Type.String({
  pattern: `^[A-Za-z0-9_-]{16,${MAX_CREDENTIAL_CHARACTERS}}$`,
  description: 'The id of the credential of a passkey, in base64url.',
})
const Kind = Type.Union([Type.Literal('password'), Type.Literal('passkey')])

const Copy = Type.Object({
  kind: Kind,
  credential: Type.Optional(credential),
  site: Type.Optional(
    Type.String({
      maxLength: MAX_HOST_CHARACTERS,
      pattern: '^[a-z0-9.-]+$',
      description: 'The relying party of a passkey: the host of the page.',
    }),
  ),
  salt: bytes(SALT_BYTES, SALT_BYTES, 'Random.'),
  proof: bytes(
    32,
    MAX_PROOF_BYTES,
    'Of a password 32 bytes that are derived from it beside the key that seals; of a passkey its public key (SPKI).',
  ),
  sealed: bytes(29, MAX_SEALED_BYTES, 'Opaque to the server.'),
})

const SealedKey = Type.Object({
  id: Type.String(),
  kind: Kind,
  fid: Type.Integer(),
  site: Type.String(),
  salt: Type.String(),
  sealed: Type.String(),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  usedAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'When it was last given out, in Unix seconds.',
  }),
})

const secondsOf = (ms: number) => Math.floor(ms / 1_000)
const sealedKeyJson = (row: StoredSealedKey) => ({
  ...{ id: row.id, kind: row.kind, fid: row.fid, site: row.site },
  ...{ salt: toHex(row.salt), sealed: toHex(row.sealed) },
  createdAt: secondsOf(row.created_at),
  usedAt: row.used_at === null ? null : secondsOf(row.used_at),
})

const OWNER_ERRORS = ['InvalidSignature', 'SignatureExpired', 'HasNoId'] as const

const keep = route('POST /v1/sealed-keys', {
  callers: 'anyone',
  summary: 'Keep a sealed copy of a custody key',
  description:
    'In place of the one with the same password or passkey; at most ten of an account. The action that the custody address ' +
    'signs is `keep sealed key 0x` and the SHA-256 of kind, credential, site, salt, proof and sealed, joined by `|`; ' +
    'what is left out is empty. A request that keeps or removes a copy counts once, and none with an earlier deadline than another: 409.',
  tags: TAGS,
  body: json(Type.Object({ ...OWNER_FIELDS, copy: Copy })),
  reply: SealedKey,
  errors: [
    ...OWNER_ERRORS,
    'bad_request.conflict',
    'bad_request.validation_failure',
    'changed_meanwhile',
    'rate_limited',
  ],
  limit: 'write',
  cost: 'write',
  handler: async (terms: SealedKeyTerms, { body: { copy, ...signed } }) =>
    sealedKeyJson(await keepCopy(terms, copy, signed)),
})

const list = route('POST /v1/sealed-keys/list', {
  callers: 'anyone',
  summary: 'The sealed copies of an account, for its owner',
  description: 'The action that is signed is `list sealed keys`.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: Type.Object({ keys: Type.Array(SealedKey) }),
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: 'write',
  handler: async (terms: SealedKeyTerms, { body }) => ({
    keys: (await listCopies(terms, body)).map(sealedKeyJson),
  }),
})

const remove = route('POST /v1/sealed-keys/remove', {
  callers: 'anyone',
  summary: 'Remove a sealed copy',
  description: 'The action that is signed is `remove sealed key` and the id.',
  tags: TAGS,
  body: json(Type.Object({ ...OWNER_FIELDS, id: Type.String({ maxLength: MAX_ID_CHARACTERS }) })),
  reply: Type.Object({ removed: Type.Literal(true) }),
  errors: [...OWNER_ERRORS, 'changed_meanwhile', 'not_found', 'rate_limited'],
  limit: 'write',
  cost: 'write',
  handler: async (terms: SealedKeyTerms, { body: { id, ...signed } }) => {
    await removeCopy(terms, id, signed)
    return { removed: true as const }
  },
})

const salt = route('GET /v1/sealed-keys/salt', {
  callers: 'anyone',
  summary: 'The salt of the password of an account',
  description:
    'A browser needs it before it can derive anything. 404 for an account without a password here.',
  tags: TAGS,
  query: { fid: described(fidParam, 'The account.') },
  reply: Type.Object({ salt: Type.String() }),
  errors: ['not_found'],
  cost: 'lookup',
  handler: async (terms: SealedKeyTerms, { query }) => ({ salt: await saltOf(terms, query.fid) }),
})

const withPassword = route('POST /v1/sealed-keys/password', {
  callers: 'anyone or user',
  summary: 'The sealed copy for who knows the password',
  description:
    'Tries are counted, right ones too: of an account 10 an hour from one network (an IPv4 address or an IPv6 /48) and 100 ' +
    'a day from all, then 5 a day from each provider (an IPv4 /16 or an IPv6 /32), and 30 an hour from one network for all accounts.',
  tags: TAGS,
  body: json(
    Type.Object({ fid: OWNER_FIELDS.fid, proof: bytes(32, 32, 'Derived from the password.') }),
  ),
  reply: SealedKey,
  errors: ['not_found', 'rate_limited'],
  limit: 'write',
  cost: { writes: 2 },
  handler: async (terms: SealedKeyTerms, { body, request }) =>
    sealedKeyJson(await openByPassword(terms, body, request.ip)),
})

const challenge = route('POST /v1/sealed-keys/challenge', {
  callers: 'anyone',
  summary: 'What a passkey has to sign',
  description: 'The challenge of WebAuthn is this text in UTF-8. It counts once, for five minutes.',
  tags: TAGS,
  reply: Type.Object({ challenge: Type.String() }),
  cost: { cpu: 'small' },
  limit: 'write',
  errors: [],
  handler: async (terms: SealedKeyTerms) => ({ challenge: await newChallenge(terms) }),
})

const withPasskey = route('POST /v1/sealed-keys/passkey', {
  callers: 'anyone or user',
  summary: 'The sealed copy for who has the passkey',
  description: 'The parts of the assertion as WebAuthn gives them.',
  tags: TAGS,
  body: json(
    Type.Object({
      credential,
      clientData: bytes(1, MAX_CLIENT_DATA_BYTES, 'clientDataJSON.'),
      authenticatorData: bytes(37, MAX_AUTHENTICATOR_BYTES, 'authenticatorData.'),
      signature: bytes(1, MAX_SIGNATURE_BYTES, 'signature.'),
    }),
  ),
  reply: SealedKey,
  errors: ['not_found'],
  limit: 'write',
  cost: { recoveries: 1, writes: 2 },
  handler: async (
    terms: SealedKeyTerms,
    { body: { credential: id, clientData, authenticatorData, signature } },
  ) =>
    sealedKeyJson(
      await openByPasskey(terms, {
        credential: id,
        clientData: fromHex(clientData)!,
        authenticatorData: fromHex(authenticatorData)!,
        signature: fromHex(signature)!,
      }),
    ),
})

/** Routes of the accounts interface. */
export const sealedKeyRoutes = (terms: SealedKeyTerms): Route[] =>
  bind(terms, [keep, list, remove, salt, withPassword, challenge, withPasskey])
