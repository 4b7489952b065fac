import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { Text } from '../act/text-field.tsx'
import { fidOfName } from './server.ts'

/** Sends the link with which a recovery begins. The answer is the same for every address. */
export function RecoverByMail({ waitDays }: { waitDays: number }) {
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>()
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    try {
      const body = { fid: await fidOfName(name), address: address.trim() }
      await fetchJson('/accounts/v1/mail/recover', { method: 'POST', body })
      const text = t(
        'If this is the address of the account, a link is on its way. It counts for an hour.',
      )
      setSaid({ text, isBad: false })
    } catch (error) {
      setSaid({ text: (error as Error).message, isBad: true })
    }
  }
  return (
    <form className="fields" onSubmit={ask}>
      <p>
        {t(
          '{waitDays, plural, one {If you have confirmed an e-mail address, a link is sent there. With it you get new words, and the account moves to them # day later. Whoever has the account can stop it until then.} other {If you have confirmed an e-mail address, a link is sent there. With it you get new words, and the account moves to them # days later. Whoever has the account can stop it until then.}}',
          { waitDays },
        )}
      </p>
      <Text
        label={t('The name of your account')}
        help={t('As others see it, without the @.')}
        value={name}
        maxLength={64}
        onChange={setName}
      />
      <Text
        label={t('Your e-mail address')}
        help={t('The one that you have confirmed.')}
        type="email"
        autoComplete="email"
        value={address}
        maxLength={254}
        onChange={setAddress}
      />
      {said && <Notice tone={said.isBad ? 'bad' : 'good'}>{said.text}</Notice>}
      <button type="submit" className="primary" disabled={!name.trim() || !address.includes('@')}>
        {t('Send the link')}
      </button>
    </form>
  )
}
