import Type from 'typebox'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { EVENT_STREAM_TYPE, eventStreamAnswer } from '../../kernel/http/server-sent-events.ts'
import { token } from '../../kernel/platform/params.ts'
import { SingleLineText } from '../../kernel/platform/schemas.ts'
import { KEY_BYTES } from '../../kernel/protocol/sizes.ts'
import { Digits, HexText, Signature } from './bodies.ts'
import { createKeyRequest, readToken } from './create.ts'
import { GaslessJson } from './gasless.ts'
import { MAX_REDIRECT_CHARACTERS } from './limits.ts'
import { KEY_REQUESTS, type Needs } from './needs.ts'
import { answer, KeyRequestReply, keyRequestReply } from './request-json.ts'
import { getAwaited } from './request-store.ts'

const NewRequest = Type.Object({
  key: HexText(KEY_BYTES, 'The Ed25519 public key, 0x and 64 hex digits.'),
  requestFid: Digits('The fid of the app.'),
  deadline: Digits('Until when the request counts, in Unix seconds; a day ahead is usual.'),
  signature: Signature,
  redirectUrl: Type.Optional(
    SingleLineText({
      maxLength: MAX_REDIRECT_CHARACTERS,
      description: 'Where a native app wants its user back; for apps that open deep links.',
    }),
  ),
  sponsorship: Type.Optional(
    Type.Object({ sponsorFid: Digits('The fid that pays.'), signature: Signature }),
  ),
  gasless: Type.Optional(GaslessJson),
  keyType: Type.Optional(Type.Literal('app-key')),
})

/** A key of another length is refused by name, and not by the pattern. */
const requestBody = json(NewRequest, {
  documented: Type.Object({
    ...NewRequest.properties,
    key: Type.String({
      pattern: `^0[xX][0-9a-fA-F]{${2 * KEY_BYTES}}$`,
      description: 'The Ed25519 public key, 0x and 64 hex digits.',
    }),
  }),
})

const create = (path: string) =>
  route(`POST ${path}`, {
    callers: 'anyone',
    summary: 'Create a signed key request',
    description:
      'Checked in this order: the shape, that requestFid is registered, the deadline, the SignedKeyRequest ' +
      "signature of its custody address, the sponsor's signature over the bytes of that signature, and the " +
      "sponsor's credits. The same content twice makes two requests. With `gasless` the signature is in the domain " +
      'of gasless keys (KeyAdd of /v1/domains of the accounts interface), and nobody sponsors the request.',
    tags: KEY_REQUESTS,
    body: requestBody,
    reply: KeyRequestReply,
    errors: [
      'bad_request.validation_failure',
      'unavailable.overloaded',
      'unavailable.network_failure',
    ],
    cost: 'write',
    handler: async ({ context }: Needs, { body }) =>
      answer(keyRequestReply(context, await createKeyRequest(context, body))),
  })

const state = route('GET /v2/signed-key-request', {
  callers: 'anyone',
  summary: 'The state of a request',
  description:
    'Poll it every two seconds or listen to /v2/signed-key-request-events. Once it is completed, ' +
    'messages signed by the key are accepted. A request that no user approved until its deadline is ' +
    'answered with 404 and the reason `expired`.',
  tags: KEY_REQUESTS,
  query: { token },
  reply: KeyRequestReply,
  errors: ['not_found'],
  cost: 'lookup',
  handler: async ({ context }: Needs, { query }) =>
    answer(keyRequestReply(context, await getAwaited(context, readToken(query.token)))),
})

const events = route('GET /v2/signed-key-request-events', {
  callers: 'anyone',
  summary: 'Stream the states of a request as server-sent events',
  description: 'Each event is what /v2/signed-key-request answers; the last state ends the stream.',
  tags: KEY_REQUESTS,
  query: { token },
  reply: Type.String(),
  contentType: EVENT_STREAM_TYPE,
  errors: ['not_found', 'unavailable.overloaded'],
  cost: 'lookup',
  handler: async ({ keyRequests }: Needs, { query, request }) => {
    const token = readToken(query.token)
    return eventStreamAnswer(await keyRequests.streams.open(token, request.ip))
  },
})

/** The app's routes: create a request and wait for its completion. */
export const requestRoutes: readonly Route<Needs>[] = [
  create('/v2/signed-key-requests'),
  create('/v2/signed-key-request'),
  state,
  events,
]
