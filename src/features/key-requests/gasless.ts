import Type, { type Static } from 'typebox'
import { buildMessage, keyAdd } from '../../kernel/protocol/build.ts'
import { SEED_BYTES } from '../../kernel/protocol/crypto/ed25519.ts'
import { gaslessKeyDomain, keyAddTypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { GASLESS_SCOPES, MAX_KEY_TTL_SECONDS } from '../../kernel/protocol/kinds/gasless-key.ts'
import { namesOf } from '../../kernel/protocol/kinds/json-layout.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { gaslessKeySlot } from '../../kernel/protocol/slots.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import { type MessageType, MessageTypeSchema } from '../../kernel/protocol/wire/message_pb.js'
import { fromStored } from '../../kernel/storage/messages/message-rows.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { KeyRequestContext } from './context.ts'
import { type AddedKey, completed, isFulfilledBy } from './key-request-states.ts'
import { metadataOf } from './metadata.ts'
import type { SignedAdd, StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

// Requests that are answered by a gasless key: the user signs a KEY_ADD, which goes to the hub and not to the accounts.

const MAX_SCOPES = 16
const MAX_SCOPE_CHARACTERS = 64

const typeName = namesOf(MessageTypeSchema)
const SCOPES = new Map([...GASLESS_SCOPES].map((type) => [typeName(type), type]))

export const GaslessJson = Type.Object(
  {
    scopes: Type.Array(Type.String({ maxLength: MAX_SCOPE_CHARACTERS }), {
      minItems: 1,
      maxItems: MAX_SCOPES,
      description: 'The types of messages that the key may sign, such as MESSAGE_TYPE_CAST_ADD.',
    }),
    ttl: Type.Integer({
      minimum: 1,
      maximum: MAX_KEY_TTL_SECONDS,
      description: 'Seconds without use after which the key ends; at most 90 days.',
    }),
  },
  { description: 'Asks for a gasless key, which a message adds and no call of the accounts.' },
)
export type GaslessJson = Static<typeof GaslessJson>

/** The columns of a request for such a key. Throws a Rejection that names the scope that no key may have. */
export function gaslessColumns({
  scopes,
  ttl,
}: GaslessJson): Pick<StoredKeyRequest, 'scopes' | 'ttl'> {
  const numbers = scopes.map((scope, i) => {
    const type = SCOPES.get(scope)
    if (type === undefined) {
      throw invalidScope(`scopes[${i}] must be one of ${[...SCOPES.keys()].join(', ')}`)
    }
    if (scopes.indexOf(scope) !== i) throw invalidScope(`scopes[${i}] is there twice`)
    return type
  })
  return { scopes: numbers.join(), ttl }
}

const invalidScope = (text: string) =>
  new Rejection('bad_request.validation_failure', `gasless.${text}`, { field: 'gasless.scopes' })

/** What a request asks for; undefined for a key that a call of the accounts adds. */
export const gaslessJson = (request: StoredKeyRequest): GaslessJson | undefined =>
  isGasless(request) ? { scopes: scopesOf(request).map(typeName), ttl: request.ttl } : undefined

export type GaslessRequest = StoredKeyRequest & { readonly scopes: string; readonly ttl: number }

export const isGasless = (request: StoredKeyRequest): request is GaslessRequest =>
  request.scopes !== null && request.ttl !== null

const scopesOf = ({ scopes }: GaslessRequest) => scopes.split(',').map(Number) as MessageType[]

/** The nonce of the next KEY_ADD or KEY_REMOVE that the custody address of a fid signs. */
export async function nextKeyNonce(
  { gaslessKeys }: Pick<Reader, 'gaslessKeys'>,
  fid: number,
): Promise<number> {
  const [used] = await gaslessKeys.nonces([fid])
  return (used?.user_nonce ?? 0) + 1
}

/** What custody addresses sign gasless keys for. */
export const keyDomainOf = ({ domains }: Pick<KeyRequestContext, 'domains'>) =>
  gaslessKeyDomain(domains.keyRegistry)

/** The KeyAdd that a user signs. */
export const gaslessTypedData = (
  context: Pick<KeyRequestContext, 'domains'>,
  request: GaslessRequest,
  { fid, nonce, deadline }: { fid: number; nonce: number; deadline: number },
) => {
  const terms = { fid, key: request.key, scopes: scopesOf(request), ttl: request.ttl }
  return keyAddTypedData({ ...terms, nonce, deadline }, keyDomainOf(context))
}

/** The KEY_ADD of an approval. The custody signature is the consent, so a key of this moment signs the message. */
export function keyAddMessage(
  { keyMessages, clock, randomBytes }: KeyRequestContext,
  request: GaslessRequest,
  fid: number,
  { add_nonce, add_deadline, add_signature }: Omit<SignedAdd, 'add_owner'>,
): SignedMessage {
  const timestamp = networkTime(clock.now())
  const body = {
    key: request.key,
    scopes: scopesOf(request),
    ttl: request.ttl,
    nonce: add_nonce,
    deadline: add_deadline,
    custodySignature: add_signature,
    metadata: metadataOf(request),
  }
  const data = keyAdd({ fid, network: keyMessages.network, timestamp }, body)
  return buildMessage(data, randomBytes(SEED_BYTES))
}

/** A refusal of the hub in the fields of this interface. */
export function inFieldsOfApproval(error: Rejection): Rejection {
  const isKnown = error.code.startsWith('unavailable') || error.code === 'rate_limited'
  if (isKnown) return error
  const field = error.field === 'keyAddBody.key' ? 'token' : 'signature'
  return new Rejection(error.code, error.message, { field })
}

/**
 * The requests, those of them completed whose key the hub has merged meanwhile: through this server, through another process
 * that ended before it could say so, or sent to the hub by the user.
 */
export async function settled(
  context: Pick<KeyRequestContext, 'storage' | 'now'>,
  requests: readonly StoredKeyRequest[],
): Promise<readonly StoredKeyRequest[]> {
  const open = requests.filter((one) => isGasless(one) && isOpen(one))
  if (open.length === 0) return requests
  const added = await addedKeys(context.storage, open)
  const fulfilled = open.filter((one) => added.some((key) => isFulfilledBy(one, key)))
  if (fulfilled.length === 0) return requests
  await context.storage.write('hub', async (tx) => {
    const [rows, keys] = await Promise.all([
      tx.of(keyRequestRows).byTokens(fulfilled.map(({ token }) => token)),
      addedKeys(tx, fulfilled),
    ])
    const done = rows.filter(isOpen).flatMap((row) => {
      const by = keys.find((key) => isFulfilledBy(row, key))
      return by ? completed(row, by.fid, context.now()) : []
    })
    await tx.of(keyRequestRows).put(done)
  })
  return context.storage.of(keyRequestRows).byTokens(requests.map(({ token }) => token))
}

const isOpen = ({ state }: StoredKeyRequest) => state === 'pending' || state === 'approved'

/** The gasless keys that the hub has of these requests. */
async function addedKeys(
  { gaslessKeys, messages }: Pick<Reader, 'gaslessKeys' | 'messages'>,
  requests: readonly StoredKeyRequest[],
): Promise<AddedKey[]> {
  const rows = await gaslessKeys.ofKeys(requests.map(({ key }) => key))
  if (rows.length === 0) return []
  const stored = await messages.bySlots(rows.map(({ key }) => gaslessKeySlot(key)))
  return stored.flatMap((message) => {
    const { body } = fromStored(message).data
    if (body.case !== 'keyAddBody') return []
    const { key, metadata } = body.value
    return [{ fid: message.fid, key, metadata }]
  })
}
