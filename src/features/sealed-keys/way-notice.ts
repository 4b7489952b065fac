import type { Said, Say } from '../../kernel/http/translator.ts'
import type { AccountNotice } from '../push/port.ts'
import type { StoredSealedKey } from './tables/sealed-keys.ts'

export type WayChange = 'added' | 'changed' | 'removed'
type Kind = StoredSealedKey['kind']

const TITLES: Readonly<Record<Kind, Readonly<Record<WayChange, (say: Say) => Said>>>> = {
  password: {
    added: (say) => say('A password of your account was added'),
    changed: (say) => say('A password of your account was changed'),
    removed: (say) => say('A password of your account was removed'),
  },
  passkey: {
    added: (say) => say('A passkey of your account was added'),
    changed: (say) => say('A passkey of your account was changed'),
    removed: (say) => say('A passkey of your account was removed'),
  },
}

/** What devices and the address of an account are told about a password or a passkey. */
export function wayNotice(
  fid: number,
  kind: Kind,
  what: WayChange,
  publicUrl: string | undefined,
): AccountNotice {
  const texts = (say: Say) => ({
    title: TITLES[kind][what](say),
    body:
      what === 'removed'
        ? say(
            'Nobody signs in with it any more. If that was not you, look at “My account”, Ways to sign in on other devices.',
          )
        : say(
            'Whoever has it can sign in and do everything. If that was not you, remove it under “My account”, Ways to sign in on other devices.',
          ),
  })
  const url = '/account#ways'
  return {
    ...{ fid, url, texts },
    mail: (say) => {
      const { title: subject, body } = texts(say)
      const button = publicUrl ? { label: say('My account'), url: publicUrl + url } : undefined
      return { subject, paragraphs: [body], button }
    },
  }
}
