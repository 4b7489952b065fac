import Type from 'typebox'
import { fromHex } from '../protocol/codec/bytes.ts'
import type { CastId } from '../protocol/kinds/reaction.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Reader } from '../storage/storage.ts'

// Fields and refusals that several routes share.

export const SignerUuid = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'A signer of this app that was approved.',
})
export const FidNumber = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })
export const HashText = Type.String({
  pattern: '^(?:0[xX])?[0-9a-fA-F]{40}$',
  description: 'The hash of a cast: 0x and 40 hex digits.',
})
/** Longer urls are refused by the hub, which counts bytes. */
export const TargetText = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The hash of a cast, or a url.',
})
export const Idem = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Requests of an app with the same value within a day have one result.',
  }),
)
export const ChannelId = Type.String({ minLength: 1, maxLength: 64 })

export const SuccessReply = Type.Object({
  success: Type.Boolean(),
  message: Type.Optional(Type.String()),
})

export const SUCCESS = { success: true } as const

const HASH = /^(?:0x)?[0-9a-f]{40}$/i

/** The cast or url that a target names. The author of a cast is looked up unless it is given. */
export async function readTarget(
  { published }: Pick<Reader, 'published'>,
  text: string,
  authorFid: number | undefined,
  field: string,
): Promise<CastId | { readonly url: string }> {
  if (!HASH.test(text)) return { url: text }
  const hash = fromHex(text)!
  if (authorFid !== undefined) return { fid: authorFid, hash }
  const cast = await published.messages.castByHash(hash)
  if (!cast) throw unknownCast(field)
  return { fid: cast.fid, hash }
}

export const unknownCast = (field: string): Rejection =>
  new Rejection('not_found', `${field}: no cast with this hash is stored`, { field })

export const invalidField = (field: string, what: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${what}`, { field })
