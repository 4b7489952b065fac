import type { BrowserKey } from './key-store.ts'

// What one can do as an account. Each is one signed message; the code that signs is loaded at the first one.

const load = () => import('./message.ts')

export type NewCast = {
  readonly text: string
  readonly mentions: readonly number[]
  /** Byte positions in the text, one for each mention. */
  readonly mentionsPositions: readonly number[]
  readonly urls: readonly string[]
  readonly quote?: CastRef | undefined
  readonly parent?: CastRef | undefined
  /** Of a channel. */
  readonly parentUrl?: string | undefined
}

export type CastRef = { readonly fid: number; readonly hash: string }

/** A cast of one of the two kinds that everybody may write. */
export const MAX_CAST_BYTES = 320
export const MAX_LONG_CAST_BYTES = 1_024
export const MAX_EMBEDS = 4
const CAST_TYPE = { cast: 0, long: 1 } as const

export const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** A cast that is signed and perhaps sent, as a draft keeps it. */
export type SignedCast = { readonly hash: string; readonly message: string }

export const writeCast = async (key: BrowserKey, cast: NewCast): Promise<string> =>
  sendCast(await signCast(key, cast))

/** Sends it, perhaps once more: it is stored once. */
export async function sendCast({ hash, message }: SignedCast): Promise<string> {
  const { submitAgain, bytesOf } = await load()
  await submitAgain(bytesOf(message))
  return hash
}

export async function signCast(key: BrowserKey, cast: NewCast): Promise<SignedCast> {
  const { signMessage, MessageType, bytesOf, hexOf } = await load()
  const idOf = ({ fid, hash }: CastRef) => ({ fid: BigInt(fid), hash: bytesOf(hash) })
  const parent = cast.parent
    ? ({ case: 'parentCastId', value: idOf(cast.parent) } as const)
    : cast.parentUrl
      ? ({ case: 'parentUrl', value: cast.parentUrl } as const)
      : { case: undefined }
  const { hash, bytes } = await signMessage(key, MessageType.CAST_ADD, {
    case: 'castAddBody',
    value: {
      text: cast.text,
      type: byteLength(cast.text) > MAX_CAST_BYTES ? CAST_TYPE.long : CAST_TYPE.cast,
      mentions: cast.mentions.map(BigInt),
      mentionsPositions: [...cast.mentionsPositions],
      embeds: [
        ...cast.urls.map((url) => ({ embed: { case: 'url', value: url } as const })),
        ...(cast.quote ? [{ embed: { case: 'castId', value: idOf(cast.quote) } as const }] : []),
      ],
      parent,
    },
  })
  return { hash, message: hexOf(bytes) }
}

export async function deleteCast(key: BrowserKey, hash: string): Promise<void> {
  const { sendMessage, MessageType, bytesOf } = await load()
  await sendMessage(key, MessageType.CAST_REMOVE, {
    case: 'castRemoveBody',
    value: { targetHash: bytesOf(hash) },
  })
}

const REACTIONS = { like: 1, recast: 2 } as const
export type Reaction = keyof typeof REACTIONS

/** Likes or recasts a cast, or takes that back. */
export async function react(
  key: BrowserKey,
  kind: Reaction,
  { fid, hash }: CastRef,
  isOn: boolean,
): Promise<void> {
  const { sendMessage, MessageType, bytesOf } = await load()
  await sendMessage(key, isOn ? MessageType.REACTION_ADD : MessageType.REACTION_REMOVE, {
    case: 'reactionBody',
    value: {
      type: REACTIONS[kind],
      target: { case: 'targetCastId', value: { fid: BigInt(fid), hash: bytesOf(hash) } },
    },
  })
}

export async function follow(key: BrowserKey, fid: number, isOn: boolean): Promise<void> {
  const { sendMessage, MessageType } = await load()
  await sendMessage(key, isOn ? MessageType.LINK_ADD : MessageType.LINK_REMOVE, {
    case: 'linkBody',
    value: { type: 'follow', target: { case: 'targetFid', value: BigInt(fid) } },
  })
}

/** Blocks an account or stops blocking it. */
export const block = async (key: BrowserKey, fid: number, isOn: boolean): Promise<void> =>
  (await import('./block.ts')).block(key, fid, isOn)

/** The parts of a profile that are edited here, by their numbers in the protocol. */
export const PROFILE = {
  picture: 1,
  display: 2,
  bio: 3,
  url: 5,
  username: 6,
  location: 7,
  banner: 10,
} as const

export async function setProfile(
  key: BrowserKey,
  part: keyof typeof PROFILE,
  value: string,
): Promise<void> {
  const { sendMessage, MessageType } = await load()
  await sendMessage(key, MessageType.USER_DATA_ADD, {
    case: 'userDataBody',
    value: { type: PROFILE[part], value },
  })
}
