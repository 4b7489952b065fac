import type { AnswerOf } from './client.ts'
import { hasCode, RookeryError } from './error.ts'
import type { PlatformOperations } from './generated/platform.ts'
import { type Network, until, type WaitOptions } from './network.ts'

type Status = AnswerOf<PlatformOperations['get'], '/v1/channel/status'>

/** Who has signed in, and the proof: a message that the custody address or an auth address of the account has signed. */
export type SignedIn = Pick<
  Status,
  'username' | 'displayName' | 'bio' | 'pfpUrl' | 'custody' | 'verifications'
> & {
  readonly fid: number
  readonly message: string
  readonly signature: string
}

export type SignIn = {
  /** Where the user signs in. Show it as a link or a QR code. */
  readonly url: string
  /** In the message that the user signs. */
  readonly nonce: string
  /** Resolves when the user has signed, which the server has verified; throws a RookeryError with code `denied`. */
  signedIn(options?: WaitOptions): Promise<SignedIn>
}

/** Lets a user sign in with their account. It gives no key: `requestKey` asks for one. */
export async function signIn(
  { platform }: Network,
  site: {
    /** Host and port of the site, which the user sees. */
    readonly domain: string
    /** The login page. */
    readonly siweUri: string
    readonly nonce?: string
  },
): Promise<SignIn> {
  const { channelToken, url, nonce } = await platform.post('/v1/channel', site)
  const headers = { authorization: `Bearer ${channelToken}` }
  const ask = async () => {
    const status = await platform
      .get('/v1/channel/status', undefined, { headers })
      .catch(deniedIfDeclined)
    const { state, fid, message, signature } = status
    if (state === 'pending' || fid === undefined) return undefined
    const { username, displayName, bio, pfpUrl, custody, verifications } = status
    const person = { username, displayName, bio, pfpUrl, custody, verifications }
    return { ...person, fid, message: message!, signature: signature! } as SignedIn
  }
  return { url, nonce, signedIn: (options = {}) => until(ask, options) }
}

/** The same end as that of a request for a key. */
function deniedIfDeclined(error: unknown): never {
  if (!hasCode(error, 'unauthenticated.declined')) throw error
  throw new RookeryError('the user declined to sign in', { status: 0, code: 'denied' }, error)
}
