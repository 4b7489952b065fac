import type { PushNotice } from '../push/port.ts'
import type { StoredSealedKey } from './tables/sealed-keys.ts'

export type WayChange = 'added' | 'changed' | 'removed'

/** What devices and the address of an account are told about a password or a passkey. */
export function wayNotice(
  fid: number,
  kind: StoredSealedKey['kind'],
  what: WayChange,
  publicUrl: string | undefined,
): PushNotice {
  const title = `A ${kind} of your account was ${what}`
  const body =
    what === 'removed'
      ? `Nobody signs in with it any more. If that was not you, look at “My account”, Ways to sign in on other devices.`
      : `Whoever has it can sign in and do everything. If that was not you, remove it under “My account”, Ways to sign in on other devices.`
  const url = '/account#ways'
  const button = publicUrl ? { label: 'My account', url: publicUrl + url } : undefined
  return {
    fid,
    kind: 'account',
    title,
    body,
    url,
    mail: { subject: title, paragraphs: [body], button },
  }
}
