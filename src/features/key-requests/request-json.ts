import Type from 'typebox'
import { jsonAnswer } from '../../kernel/http/route.ts'
import { Fid, Result } from '../../kernel/platform/schemas.ts'
import { WALLET_SCHEME } from '../../kernel/platform/wallet-links.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { KeyRequestContext } from './context.ts'
import { GaslessJson, gaslessJson } from './gasless.ts'
import { KEY_REQUESTS, type StoredKeyRequest } from './tables/key-requests.ts'

export const KeyRequestJson = Type.Object({
  token: Type.String({ description: 'Names the request; it is the permission to read its state.' }),
  deeplinkUrl: Type.String({ description: "Opens the request in the user's wallet app." }),
  approvalUrl: Type.String({ description: 'Opens the request in a browser.' }),
  key: Type.String({ description: 'As it was sent.' }),
  requestFid: Fid,
  state: Type.Union(KEY_REQUESTS.fields.state.values.map((state) => Type.Literal(state))),
  isSponsored: Type.Boolean(),
  gasless: Type.Optional(GaslessJson),
  userFid: Type.Optional(Fid),
  reason: Type.Optional(Type.String({ description: 'Why it failed.' })),
  revertError: Type.Optional(Type.Object({ name: Type.String() })),
})

export const KeyRequestReply = Result(Type.Object({ signedKeyRequest: KeyRequestJson }))

/** Where a user approves the request with this token (0x hex) in a browser. */
export const approvalUrlOf = (
  { publicUrl }: Pick<KeyRequestContext, 'publicUrl'>,
  token: string,
): string => `${publicUrl()}/~/connect?token=${token}`

/** The public JSON of a request, for callers that have its token. */
export function keyRequestJson(
  { publicUrl }: Pick<KeyRequestContext, 'publicUrl'>,
  request: StoredKeyRequest,
) {
  const { state, user_fid, reason, error_name } = request
  const token = toHex(request.token)
  const gasless = gaslessJson(request)
  const hasUser = user_fid !== null && (state === 'approved' || state === 'completed')
  return {
    token,
    deeplinkUrl: `${WALLET_SCHEME}://signed-key-request?token=${token}`,
    approvalUrl: approvalUrlOf({ publicUrl }, token),
    key: request.key_text,
    requestFid: request.request_fid,
    state,
    isSponsored: request.sponsor_fid !== null,
    ...(gasless && { gasless }),
    ...(hasUser && { userFid: user_fid }),
    ...(state === 'failed' && reason !== null && { reason }),
    ...(error_name !== null && { revertError: { name: error_name } }),
  }
}

export const keyRequestReply = (context: KeyRequestContext, request: StoredKeyRequest) => ({
  result: { signedKeyRequest: keyRequestJson(context, request) },
})

/** A response that must not be cached, because the state changes. */
export const answer = (value: object) =>
  jsonAnswer(value, { headers: { 'cache-control': 'no-store' } })
