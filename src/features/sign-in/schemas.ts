import Type, { type TStringOptions } from 'typebox'
import { MAX_MESSAGE_CHARACTERS } from './message.ts'

// The JSON of the relay.

const MAX_URI_CHARACTERS = 2_048
const MAX_DOMAIN_CHARACTERS = 255
const MAX_NONCE_CHARACTERS = 128
const MAX_REQUEST_ID_CHARACTERS = 256
/** Signatures of contract wallets are longer than the 65 bytes of plain accounts, those of undeployed ones most of all. */
const MAX_SIGNATURE_BYTES = 8_192

/** A URI with an authority, as RFC 3986 writes it. */
const URI = "^[a-zA-Z][a-zA-Z0-9+.-]*://([a-zA-Z0-9._~:/?#@!$&'()*+,;=-]|\\[|\\]|%[0-9a-fA-F]{2})+$"
/** A host name with a dot, `localhost` or an IPv4 address, and a port: what libraries for Ethereum sign-in take. */
const DOMAIN =
  '^(([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]{2,}|localhost|([0-9]{1,3}\\.){3}[0-9]{1,3})(:[0-9]{1,5})?$'

const line = (options: TStringOptions) =>
  Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]*$', ...options })
const time = (description: string) =>
  Type.String({
    pattern:
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$',
    description,
  })

const REQUEST_FIELDS = {
  siweUri: Type.String({
    maxLength: MAX_URI_CHARACTERS,
    pattern: URI,
    description: 'The login page, in the message.',
  }),
  domain: Type.String({
    maxLength: MAX_DOMAIN_CHARACTERS,
    pattern: DOMAIN,
    description: 'Who asks: host and port of the site, which the user sees.',
  }),
  notBefore: Type.Optional(time('The message is not valid before.')),
  expirationTime: Type.Optional(time('The message is not valid from then on.')),
  requestId: Type.Optional(
    line({ minLength: 1, maxLength: MAX_REQUEST_ID_CHARACTERS, description: 'In the message.' }),
  ),
  redirectUrl: Type.Optional(
    line({ maxLength: MAX_URI_CHARACTERS, description: 'Where a native app wants its user back.' }),
  ),
  acceptAuthAddress: Type.Optional(
    Type.Boolean({
      description:
        'Whether an auth address may sign in place of the custody address; true unless given.',
    }),
  ),
}
const nonce = Type.String({
  pattern: `^[a-zA-Z0-9]{8,${MAX_NONCE_CHARACTERS}}$`,
  description: 'In the message; random unless given. Accept each once.',
})
export const NewChannel = Type.Object({ ...REQUEST_FIELDS, nonce: Type.Optional(nonce) })
const SignatureParams = Type.Object({ ...REQUEST_FIELDS, nonce })

export const OpenedChannel = Type.Object({
  channelToken: Type.String({ description: 'Secret between the app and its user.' }),
  url: Type.String({ description: 'Shown to the user as a QR code or opened on the same device.' }),
  connectUri: Type.String({ description: 'The same as url.' }),
  nonce: Type.String(),
})

export const SignatureHex = Type.String({
  pattern: `^0x([0-9a-fA-F]{2}){1,${MAX_SIGNATURE_BYTES}}$`,
  description: 'Of the message, as personal_sign makes it.',
})
export const MessageText = Type.String({
  maxLength: MAX_MESSAGE_CHARACTERS,
  description: 'EIP-4361, with one resource farcaster://fid/<fid> and chain id 10.',
})
const Fid = Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })
const AuthMethod = Type.Union([Type.Literal('custody'), Type.Literal('authAddress')])
const State = Type.Union([Type.Literal('pending'), Type.Literal('completed')])

const ignored = Type.Optional(
  Type.String({ description: 'Ignored: the profile is that of the network.' }),
)
export const NewSignature = Type.Object({
  message: MessageText,
  signature: SignatureHex,
  fid: Fid,
  authMethod: Type.Optional(AuthMethod),
  username: ignored,
  bio: ignored,
  displayName: ignored,
  pfpUrl: ignored,
})

const Asked = {
  state: State,
  nonce: Type.String(),
  url: Type.String(),
  signatureParams: SignatureParams,
  metadata: Type.Object(
    { ip: Type.String(), userAgent: Type.String(), origin: Type.Optional(Type.String()) },
    { description: 'Who opened the channel; `origin` is the web page, as its browser says.' },
  ),
  acceptAuthAddress: Type.Boolean(),
}
const optionalText = Type.Optional(Type.String())
export const ChannelStatus = Type.Object({
  ...Asked,
  connectUri: optionalText,
  message: optionalText,
  signature: optionalText,
  authMethod: Type.Optional(AuthMethod),
  fid: Type.Optional(Fid),
  username: optionalText,
  bio: optionalText,
  displayName: optionalText,
  pfpUrl: optionalText,
  verifications: Type.Optional(Type.Array(Type.String(), { description: 'Verified addresses.' })),
  custody: optionalText,
})

export const ChannelDetails = Type.Object({
  ...Asked,
  now: Type.Integer({ description: 'The time of this network, in Unix seconds.' }),
  expiresAt: Type.Integer({ description: 'Unix seconds.' }),
  deeplinkUrl: Type.String(),
  user: Type.Optional(
    Type.Object(
      { fid: Fid, username: optionalText, displayName: optionalText, pictureUrl: optionalText },
      { description: 'The account of the address.' },
    ),
  ),
  message: Type.Optional(Type.String({ description: 'What the address signs.' })),
})
