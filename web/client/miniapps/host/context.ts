import { hexOf } from '../../../shared/bytes.ts'
import { t } from '../../../shared/messages.ts'
import { fetchJson } from '../../../shared/request.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { callApp } from '../../api.ts'
import type { User } from '../../types.ts'
import type { MiniAppDetails } from '../calls.ts'
import type { Opening } from '../launch.ts'
import { personOf } from './cast-for-apps.ts'

// What an app learns at its start: who opens it, from where, and in which client. The place of the user is not told.

export type Insets = {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

type Asked = {
  readonly key: BrowserKey
  readonly app: MiniAppDetails | undefined
  readonly opening: Opening
  readonly insets: Insets
  /** A choice of the developer's room. */
  readonly platformType?: 'web' | 'mobile' | undefined
}

export async function contextOf({ key, app, opening, insets, platformType }: Asked) {
  const [user, clientFid] = await Promise.all([userOf(key.fid), requesterOf(key)])
  return {
    user,
    client: {
      platformType: platformType ?? (matchMedia('(pointer: coarse)').matches ? 'mobile' : 'web'),
      clientFid,
      added: app?.added ?? false,
      ...(app?.notificationDetails && { notificationDetails: app.notificationDetails }),
      safeAreaInsets: insets,
    },
    location: opening,
    features: {
      haptics: typeof navigator.vibrate === 'function',
      cameraAndMicrophoneAccess: false,
    },
  }
}

async function userOf(fid: number) {
  const { users } = await callApp<{ users: User[] }>('/user/bulk', { query: { fids: fid } })
  const user = users[0]
  if (!user) throw new Error(t('There is no account {fid}.', { fid: String(fid) }))
  return { fid, ...personOf(user) }
}

type Signers = { readonly events: readonly { readonly signerEventBody?: { metadata?: string } }[] }
type Signer = { readonly signerEventBody?: { readonly metadata?: string } }
const WORD_BYTES = 32

/**
 * Who asked for the key of this browser: the same that verifiers of webhooks find as the client of the app. The account itself,
 * except for keys that another client made.
 */
async function requesterOf({ fid, publicKey }: BrowserKey): Promise<number> {
  const query = { fid, signer: hexOf(publicKey) }
  const found = await fetchJson<Signer | Signers>('/hub/v1/onChainSignersByFid', { query }).catch(
    () => undefined,
  )
  const signer = found && 'events' in found ? found.events[0] : found
  const metadata = signer?.signerEventBody?.metadata
  if (!metadata) return fid
  // The tuple of a signed key request: an offset, then the fid.
  const bytes = Uint8Array.from(atob(metadata), (letter) => letter.charCodeAt(0))
  const word = bytes.slice(WORD_BYTES, 2 * WORD_BYTES)
  const requester = word.reduce((sum, byte) => sum * 256 + byte, 0)
  return Number.isSafeInteger(requester) && requester > 0 ? requester : fid
}
