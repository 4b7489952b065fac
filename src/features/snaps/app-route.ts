import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { FidNumber, HashText, SignerUuid } from '../../kernel/app-api/bodies.ts'
import { json, route } from '../../kernel/http/route.ts'
import { signJfs } from '../../kernel/platform/sign.ts'
import type { AppApi } from '../app-api/port.ts'
import { targetOf } from './asking.ts'
import { oldPayloadOf, payloadOf } from './pressing.ts'
import { type Needs, SNAP_REPLY, sendFor, Target } from './routes.ts'
import { PRESS_ERRORS } from './schemas.ts'
import { TARGET_FIELD } from './snaps.ts'

// A press by an app, signed with the key with which it publishes for its user.

/** A page has 64 elements, and texts of inputs 280 characters. */
const MAX_INPUTS = 64
const MAX_TEXT_CHARACTERS = 1_024
const MAX_NAME_CHARACTERS = 256
const text = Type.String({ maxLength: MAX_TEXT_CHARACTERS })

const PressBody = Type.Object({
  signer_uuid: SignerUuid,
  [TARGET_FIELD]: Target,
  inputs: Type.Optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS }),
      Type.Union([text, Type.Number(), Type.Boolean(), Type.Array(text, { maxItems: 512 })]),
      { maxProperties: MAX_INPUTS, description: 'What the user has entered, by name.' },
    ),
  ),
  cast: Type.Optional(
    Type.Object(
      { hash: HashText, fid: FidNumber },
      { description: 'The cast in which the user pressed; without it the snap stands alone.' },
    ),
  ),
  button_index: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 255,
      description: 'Makes the payload of version 1.0, which has the place of the button.',
    }),
  ),
})
type Body = Type.Static<typeof PressBody>

type Context = AppApi & Needs & { readonly nowSeconds: () => number }

export const pressForUser = route('POST /v2/farcaster/snap/press', {
  callers: 'app',
  summary: 'Press a button of a snap for a user',
  description:
    'The user must have pressed it. The server of the snap learns the fid. It asks a hub for the key, so a signer with a ' +
    'gasless key is refused.',
  tags: [{ name: 'Snaps', description: 'Cards in casts that a server describes.' }],
  body: json(PressBody),
  reply: SNAP_REPLY,
  errors: [...PRESS_ERRORS, 'unreadable_secret'],
  cost: { cpu: 'medium', signatures: 2, writes: 1 },
  handler: async (context: Context, { body, request }) => {
    const key = await context.signers.writingKey(appOf(request), body.signer_uuid)
    const target = targetOf(body[TARGET_FIELD], TARGET_FIELD)
    const jfs = signJfs(key, signedBy(key.fid, target, body, context.nowSeconds()))
    return sendFor(context, request, { target: target.href, jfs })
  },
})

function signedBy(fid: number, target: URL, body: Body, timestamp: number): object {
  const { inputs = {}, cast, button_index } = body
  const surface = cast && { hash: cast.hash.toLowerCase(), fid: cast.fid }
  const press = { fid, target: target.href, inputs, timestamp, surface }
  return button_index === undefined ? payloadOf(press) : oldPayloadOf(press, button_index)
}
